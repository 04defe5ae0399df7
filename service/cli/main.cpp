#include "service/cli/console.hpp"
#include "service/cli/run.hpp"

int main(int argc, char** argv) {
    return vigil::cli::run({argv + 1, argv + argc}, vigil::cli::own_surroundings());
}
