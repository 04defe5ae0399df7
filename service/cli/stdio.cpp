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
    const Invocation& invocation, const Surroundings& world, const std::string& command) {
    if (!invocation.has("stdio")) {
        throw Error(
            Errc::invalid_argument,
            command + " talks to a program: give --stdio, see " + command + " --help");
    }
    Talk talk;
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

}  // namespace

ExitCode plan_over_stdio(const Invocation& invocation, const Surroundings& world) {
    return talk_over_stdio<PlanTalk>(invocation, world, "vigil bisect plan");
}

ExitCode confirm_over_stdio(const Invocation& invocation, const Surroundings& world) {
    return talk_over_stdio<ConfirmTalk>(invocation, world, "vigil confirm");
}

ExitCode detect_over_stdio(const Invocation& invocation, const Surroundings& world) {
    return talk_over_stdio<DetectTalk>(invocation, world, "vigil detect");
}

}  // namespace vigil::cli
