#include <charconv>
#include <istream>
#include <string>

#include "schema/model/error.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/confirm_talk.hpp"
#include "service/cli/detect_talk.hpp"
#include "service/cli/plan_talk.hpp"

namespace vigil::cli {

namespace {

/// One line in, at most one line out, until the other side closes.
template <class Talk>
ExitCode talk_over_stdio(
    const Invocation& invocation,
    const Surroundings& world,
    const std::string& command,
    Talk talk = {}) {
    if (!invocation.has("stdio")) {
        throw Error(
            Errc::invalid_argument,
            command + " talks to a program: give --stdio, see " + command + " --help");
    }
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
detect::TriggerRules trigger_rules_of(const std::string& text) {
    detect::TriggerRules rules;
    const auto colon = text.find(':');
    rules.opened_by = parse_enum<detect::OpenedBy>(text.substr(0, colon));
    if (colon == text.npos) return rules;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + colon + 1, end, rules.shape_bar);
    if (error == std::errc() && at == end && rules.shape_bar > 0) return rules;
    throw Error(
        Errc::invalid_argument,
        "--trigger: the score must be a number above 0, not '" + text + "'");
}

}  // namespace

ExitCode plan_over_stdio(const Invocation& invocation, const Surroundings& world) {
    return talk_over_stdio<PlanTalk>(invocation, world, "vigil bisect plan");
}

ExitCode confirm_over_stdio(const Invocation& invocation, const Surroundings& world) {
    const ConfirmTalk talk(trigger_rules_of(invocation.get("trigger", "either")));
    return talk_over_stdio(invocation, world, "vigil confirm", talk);
}

ExitCode detect_over_stdio(const Invocation& invocation, const Surroundings& world) {
    return talk_over_stdio<DetectTalk>(invocation, world, "vigil detect");
}

}  // namespace vigil::cli
