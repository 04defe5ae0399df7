#include <charconv>
#include <cmath>
#include <istream>
#include <string>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/nearest.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/confirm_talk.hpp"
#include "service/cli/detect_talk.hpp"
#include "service/cli/plan_talk.hpp"

namespace vigil::cli {

namespace {

/// One line in, at most one line out, until the other side closes.
template <class Talk>
ExitCode talk_over_stdio(const Surroundings& world, Talk talk = {}) {
    std::string line;
    while (std::getline(*world.in, line)) {
        if (line.empty()) continue;
        const std::string answer = talk.answer(line);
        if (!answer.empty()) *world.out << answer << "\n" << std::flush;
    }
    return ExitCode::ok;
}

/// Every line is a series of its own.
struct DetectTalk {
    std::string answer(const std::string& line) const { return answer_series(line); }
};

/// "level", "either:5": what opens a session, and the score from which on the shape speaks.
detect::BarRules trigger_rules_of(const std::string& text) {
    detect::BarRules rules;
    const auto colon = text.find(':');
    const auto opened_by = find_enum<detect::OpenedBy>(text.substr(0, colon));
    if (!opened_by) {
        const auto names = names_of<detect::OpenedBy>();
        throw Error(
            Errc::invalid_argument,
            fmt::format(
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
    throw Error(
        Errc::invalid_argument,
        "--trigger: the score must be a number above 0, not '" + text + "'");
}

}  // namespace

void check_stdio(const Invocation& invocation, const Surroundings&) {
    if (invocation.has("trigger")) trigger_rules_of(invocation.get("trigger"));
    if (invocation.has("stdio")) return;
    const std::string command = "vigil " + invocation.command->name;
    throw Error(
        Errc::invalid_argument,
        command + " talks to a program: give --stdio, see " + command + " --help");
}

ExitCode plan_over_stdio(const Invocation&, const Surroundings& world) {
    return talk_over_stdio<PlanTalk>(world);
}

ExitCode confirm_over_stdio(const Invocation& invocation, const Surroundings& world) {
    const ConfirmTalk talk(trigger_rules_of(invocation.get("trigger", "either")));
    return talk_over_stdio(world, talk);
}

ExitCode detect_over_stdio(const Invocation&, const Surroundings& world) {
    return talk_over_stdio<DetectTalk>(world);
}

}  // namespace vigil::cli
