#include "service/cli/talk/commands.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "schema/text/nearest.hpp"
#include "service/cli/common/input.hpp"
#include "service/cli/talk/confirm_talk.hpp"
#include "service/cli/talk/plan_talk.hpp"

namespace vigil::cli {

namespace {

/// "level", "either:5": what opens a session, and the score from which on the shape speaks.
detect::BarRules trigger_rules_of(const std::string& text) {
    detect::BarRules rules;
    const auto colon = text.find(':');
    const auto opened_by = find_enum<detect::OpenedBy>(text.substr(0, colon));
    if (!opened_by) {
        const auto names = names_of<detect::OpenedBy>();
        refuse(fmt::format(
            "--trigger must be one of {}, not '{}'{}",
            fmt::join(names, ", "),
            text.substr(0, colon),
            text::did_you_mean(text.substr(0, colon), names, '\'')));
    }
    rules.opened_by = *opened_by;
    if (colon == text.npos) return rules;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + colon + 1, end, rules.shape_bar);
    const bool whole = error == std::errc() && at == end;
    if (whole && rules.shape_bar > 0 && std::isfinite(rules.shape_bar)) return rules;
    refuse("--trigger: the score must be a number above 0, not '" + text + "'");
}

void check_stdio(const Invocation& invocation, const Surroundings&) {
    if (invocation.has("trigger")) trigger_rules_of(invocation.get("trigger"));
    if (invocation.has("stdio")) return;
    const std::string command = "vigil " + invocation.command->name;
    refuse(command + " talks to a program: give --stdio, see " + command + " --help");
}

template <class Talk>
ExitCode talk_with(Talk talk, const Surroundings& world) {
    return talk_over_stdio(world, [&](const std::string& line) { return talk.answer(line); });
}

ExitCode plan_over_stdio(const Invocation&, const Surroundings& world) {
    return talk_with(PlanTalk(), world);
}

ExitCode confirm_over_stdio(const Invocation& invocation, const Surroundings& world) {
    return talk_with(ConfirmTalk(trigger_rules_of(invocation.get("trigger", "either"))), world);
}

}  // namespace

std::vector<CommandSpec> talk_commands() {
    const Option stdio{"stdio", "", "one JSON object a line on standard input and output"};
    return {
        {"bisect plan",
         {plan_over_stdio, check_stdio},
         {},
         "the search alone: another program builds and measures, this one selects the next probe",
         {stdio},
         {"vigil bisect plan --stdio"}},
        {"confirm",
         {confirm_over_stdio, check_stdio},
         {},
         "the confirmation alone: another program measures nights and runs, this one decides",
         {stdio,
          {"trigger",
           "WORD[:NATS]",
           "what opens a session: level (tonight's), shape (of the newest nights, from 4.5 nats "
           "on), either or both (default either)"}},
         {"vigil confirm --stdio", "vigil confirm --stdio --trigger either:6"}}};
}

}  // namespace vigil::cli
