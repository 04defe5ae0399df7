#include <istream>
#include <string>

#include "schema/model/error.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/detect_talk.hpp"

namespace vigil::cli {

ExitCode detect(const Invocation& invocation, const Surroundings& world) {
    if (!invocation.has("stdio")) {
        throw Error(
            Errc::invalid_argument,
            "vigil detect reads series from standard input: give --stdio, see vigil detect --help");
    }
    std::string line;
    while (std::getline(*world.in, line)) {
        if (!line.empty()) *world.out << answer_series(line) << "\n" << std::flush;
    }
    return ExitCode::ok;
}

}  // namespace vigil::cli
