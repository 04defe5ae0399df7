#include "service/lab/commands.hpp"

#include "service/lab/backtest.hpp"

namespace vigil::cli {

const Program& lab_program() {
    static const Program program{
        "vigil-lab",
        "replays histories under the rules of detection",
        {"vigil-lab backtest history.csv"},
        {[] {
            auto command = backtest_command();
            command.section = "Replays";
            return command;
        }()},
        false};
    return program;
}

}  // namespace vigil::cli
