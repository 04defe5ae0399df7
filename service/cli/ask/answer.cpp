#include "service/cli/ask/answer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/report.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"
#include "service/cli/common/input.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

void check_answer(const Invocation& asked, const Surroundings&) {
    if (asked.arguments.empty()) refuse("JOB is missing; the request names it");
    if (!asked.has("attempt")) refuse("--attempt is missing; the request names it");
    if (asked.arguments.size() == 1 && !asked.has("failed")) {
        refuse("give a FILE for each run, in the order of the request, or --failed WHY");
    }
    if (asked.arguments.size() > 1 && asked.has("failed")) {
        refuse("--failed means that nothing was run; leave the FILEs out");
    }
}

/// The report of one run: what its program wrote; an empty file is a run that failed.
json run_of(const CommandContext& context, std::size_t place, const std::string& file) {
    json run{{"run", place}};
    auto report = read_input(file, file, context.world, harness::max_file_bytes);
    if (report.empty()) {
        run["failure"] = "the run wrote no report";
    } else {
        run["report"] = std::move(report);
        run["file_name"] = base_name(file);
    }
    return run;
}

ExitCode answer(const CommandContext& context) {
    const auto& asked = context.invocation;
    json body{{"attempt", asked.number("attempt", 0)}};
    if (asked.has("machine")) body["machine"] = asked.get("machine");
    if (asked.has("failed")) {
        body["failure"] = asked.get("failed");
    } else {
        body["runs"] = json::array();
        for (std::size_t i = 1; i < asked.arguments.size(); ++i) {
            body["runs"].push_back(run_of(context, i - 1, asked.arguments[i]));
        }
    }
    const auto path = "/api/v1/jobs/" + id_argument(context) + "/answer";
    const auto reply = context.api.post_text(path, wire::write_json(body), "application/json");
    if (context.json) return print_json(context, reply);
    *context.world.out << fmt::format(
        "job {} is {}: {} of {} passed{}\n",
        number_at(reply, "job"),
        printable(text_at(reply, "state")),
        number_at(reply, "passed"),
        text::counted(number_at(reply, "runs"), "run"),
        reply.value("again", false) ? "; it was accepted before" : "");
    return ExitCode::ok;
}

}  // namespace

CommandSpec answer_command() {
    return {
        "answer",
        CommandAction(nullptr, check_answer, answer),
        {"JOB", "[FILE...]"},
        "sends the results of requested external runs (source.callback)",
        {whole_option("attempt", "N", "attempt number of the request; required", 1, 1'000'000),
         {"machine", "NAME", "name of the machine"},
         {"failed", "WHY", "nothing was run: the job is requested again, or given up"}},
        {"vigil answer 41 --attempt 1 run-0.json run-1.json run-2.json run-3.json",
         "vigil answer 41 --attempt 1 --failed 'no runner is free'"},
        "Each FILE is the output of one run, in the order of the request; an empty "
        "one\n"
        "is a run that failed. docs/import.md, \"Measured again\", describes the request.\n"};
}

}  // namespace vigil::cli
