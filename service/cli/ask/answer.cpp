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
    if (asked.arguments.empty()) refuse("name the JOB, as the question does");
    if (!asked.has("attempt")) refuse("--attempt is missing; the question has it");
    if (asked.arguments.size() == 1 && !asked.has("failed")) {
        refuse("name a FILE for each run, in the order of the question, or say --failed WHY");
    }
    if (asked.arguments.size() > 1 && asked.has("failed")) {
        refuse("--failed says that nothing was run; take the FILEs out");
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
        reply.value("again", false) ? "; the same was there already" : "");
    return ExitCode::ok;
}

}  // namespace

CommandSpec answer_command() {
    return {
        "answer",
        CommandAction(nullptr, check_answer, answer),
        {"JOB", "[FILE...]"},
        "sends what came of runs that the daemon asked for elsewhere (source.callback)",
        {whole_option("attempt", "N", "the question's; needed", 1, 1'000'000),
         {"machine", "NAME", "which machine it was"},
         {"failed", "WHY", "nothing was run: the job is asked for again, or given up"}},
        {"vigil answer 41 --attempt 1 run-0.json run-1.json run-2.json run-3.json",
         "vigil answer 41 --attempt 1 --failed 'no runner is free'"},
        "Each FILE is what the program wrote in one run, in the order of the question; an empty "
        "one\n"
        "is a run that failed. docs/import.md, \"Measured again\", has the question.\n"};
}

}  // namespace vigil::cli
