#include "service/cli/talk/stdio.hpp"

namespace vigil::cli {

ExitCode talk_over_stdio(
    const Surroundings& world, const std::function<std::string(const std::string&)>& answer) {
    std::string line;
    while (std::getline(*world.in, line)) {
        if (line.empty()) continue;
        const std::string said = answer(line);
        if (!said.empty()) *world.out << said << "\n" << std::flush;
    }
    return ExitCode::ok;
}

}  // namespace vigil::cli
