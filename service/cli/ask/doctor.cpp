#include "service/cli/ask/doctor.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

struct BadnessWords {
    std::string words;
    Tone tone;
};

BadnessWords words_of(const std::string& badness) {
    if (badness == "failing") return {"failing", Tone::bad};
    if (badness == "will_fail") return {"will fail", Tone::bad};
    return {"note", Tone::plain};
}

void print_finding(const CommandContext& context, const json& finding) {
    const auto [words, tone] = words_of(text_at(finding, "badness"));
    const auto since = is_set(finding, "since_s")
                           ? ", since " + text::utc(number_at(finding, "since_s")) + " UTC"
                           : std::string();
    *context.world.out << fmt::format(
        "{}: {} of {}{}\n  {}\n  What to do: {}\n",
        toned(words, tone, context.colours),
        printable(text_at(finding, "kind")),
        printable(text_at(finding, "subject")),
        since,
        printable(text_at(finding, "message")),
        printable(text_at(finding, "remedy")));
}

void print_all(const CommandContext& context, const json& reply) {
    const auto& findings = array_at(reply, "findings");
    for (const auto& finding : findings) print_finding(context, finding);
    std::map<std::string, int> counts;
    for (const auto& finding : findings) ++counts[text_at(finding, "badness")];
    *context.world.out << fmt::format(
        "{}{} failing, {} will fail, {}. Checked: {} of {} tables, {} of {} parts of the content "
        "store.\n",
        findings.empty() ? "Healthy: " : "\n",
        counts["failing"],
        counts["will_fail"],
        text::counted(counts["note"], "note"),
        number_at(reply, "tables_checked"),
        number_at(reply, "tables"),
        number_at(reply, "content_parts_checked"),
        number_at(reply, "content_parts"));
}

ExitCode show_findings(const CommandContext& context) {
    const json reply = context.api.get("/api/v1/doctor");
    context.json ? void(print_json(context, reply)) : print_all(context, reply);
    return flag_at(reply, "healthy") ? ExitCode::ok : ExitCode::negative;
}

}  // namespace

CommandSpec doctor_command() {
    return {
        "doctor",
        show_findings,
        {},
        "what is stuck, lost, inconsistent or about to be, and what to do",
        {},
        {"vigil doctor", "vigil doctor --json"},
        "It reads the open troubles, leases, messages, workers, backups, the clock, and as much "
        "of\n"
        "the ledger and the content store as three seconds allow, another part each time.\n"
        "Ends with: 0 nothing needs a person; 1 something does; 3 no answer; 4 refused.\n"};
}

}  // namespace vigil::cli
