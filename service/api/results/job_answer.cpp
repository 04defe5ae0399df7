#include "service/api/results/job_answer.hpp"

#include <nlohmann/json.hpp>

#include "schema/harness/read.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/api/results/sent_reading.hpp"
#include "service/store/ids.hpp"
#include "service/store/work/jobs.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t max_runs = 1000;
constexpr std::size_t max_failure_bytes = 300;

void read_report(
    const wire::Item& report,
    const std::string& file_name,
    text::ReadBudget& budget,
    SentRun& run,
    MachineFacts& facts) {
    const auto text =
        report.value->is_string() ? report.value->get<std::string>() : report.value->dump();
    text::BudgetLoan loan(budget);
    budget.make(text.capacity());
    loan.end();
    const harness::ReadOptions options{.file_name = file_name, .budget = &budget};
    for (auto& part : harness::read_reports(text, report.path, options)) {
        add_facts(facts, part.environment);
        for (auto& reading : sent_readings(std::move(part.readings))) {
            run.readings.push_back(std::move(reading));
        }
    }
}

SentRun read_run(const wire::Item& item, text::ReadBudget& budget, MachineFacts& facts) {
    wire::ObjectReader reader(item);
    SentRun run;
    run.run = reader.small("run", {0, max_runs - 1});
    run.failure = text::one_line(reader.text_or("failure", "", 4096), max_failure_bytes);
    const auto file_name = text::one_line(reader.text_or("file_name", "", 4096), max_fact_bytes);
    if (run.failure.empty()) {
        read_report(reader.item("report"), file_name, budget, run, facts);
    }
    reader.done();
    return run;
}

Digest digest_of(const SentAnswer& answer) {
    Fingerprinter all;
    all.add(std::to_string(answer.attempt));
    all.add(answer.failure);
    all.add(answer.facts);
    for (const auto& run : answer.runs) {
        all.add(std::to_string(run.run));
        all.add(run.failure);
        for (const auto& reading : run.readings) all.add(reading);
    }
    return all.finish();
}

}  // namespace

SentAnswer read_answer(const http::Request& request, const std::string& body) {
    check_query(request, {});
    text::ReadBudget budget(body.size());
    const auto whole = wire::parse_json(
        body, "the body", {.max_bytes = harness::max_file_bytes, .budget = &budget});
    wire::ObjectReader reader(whole, "body");
    SentAnswer answer;
    answer.attempt = reader.small("attempt", {1, 1'000'000});
    add_facts(answer.facts, reader.text_map("environment", max_facts));
    const auto machine = reader.text_or("machine", "", max_fact_bytes);
    if (!machine.empty()) add_fact(answer.facts, "machine", machine);
    answer.failure = text::one_line(reader.text_or("failure", "", 4096), max_failure_bytes);
    if (answer.failure.empty()) {
        for (const auto& item : reader.items("runs", max_runs)) {
            answer.runs.push_back(read_run(item, budget, answer.facts));
        }
    }
    reader.done();
    answer.digest = digest_of(answer);
    return answer;
}

http::Response take_answer(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const SentAnswer& answer) {
    const JobId id{id_parameter(request)};
    const auto job = load_job(db, id);
    const auto name = load_project_name(db, job.project);
    check_sender(request, name);
    const auto project = context.config.projects.find(name);
    if (project == context.config.projects.end() || !is_external(project->second)) {
        throw Error(
            Errc::conflict,
            "job " + to_string(id) +
                " is done by workers; only runs that were asked for elsewhere "
                "are answered");
    }
    const auto taken =
        NightTaker(project->second).answer(db, context.config.jobs, id, answer, context.now_s);
    json reply = {
        {"job", id.value},
        {"attempt", answer.attempt},
        {"runs", answer.runs.size()},
        {"passed", taken.passed},
        {"again", taken.is_again},
        {"state", to_string(load_job(db, id).state)}};
    return object_response(std::move(reply), taken.is_again ? 200 : 201);
}

}  // namespace vigil::service
