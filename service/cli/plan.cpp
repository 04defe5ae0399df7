#include <istream>
#include <string>

#include "schema/model/error.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/plan_talk.hpp"

namespace vigil::cli {

ExitCode plan_over_stdio(const Invocation& invocation, const Surroundings& world) {
    if (!invocation.has("stdio")) {
        throw Error(
            Errc::invalid_argument,
            "vigil bisect plan talks to a program: give --stdio, see vigil bisect plan --help");
    }
    PlanTalk talk;
    std::string line;
    while (std::getline(*world.in, line)) {
        if (line.empty()) continue;
        const std::string answer = talk.answer(line);
        if (!answer.empty()) *world.out << answer << "\n" << std::flush;
    }
    return ExitCode::ok;
}

}  // namespace vigil::cli
