#include "service/cli/console.hpp"
#include "service/cli/run.hpp"
#include "service/lab/commands.hpp"

int main(int argc, char** argv) {
    return vigil::cli::run(
        {argv + 1, argv + argc}, vigil::cli::own_surroundings(), vigil::cli::lab_program());
}
