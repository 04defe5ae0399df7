#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/cli/command_line.hpp"
#include "service/cli/commands.hpp"
#include "service/cli/local/search.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::cli;

namespace {

void check(const std::string& bench, const std::string& path) {
    Surroundings world;
    world.environment = {{"HOME", "/home/x"}, {"PATH", path}};
    check_search(
        parse_command_line(
            cli::vigil_program(), {"compare", "--good", "a", "--bad", "b", "--bench", bench}),
        world);
}

}  // namespace

TEST_CASE("That vigil-bench cannot be found is said before anything is built", "[service][cli]") {
    const test::ScratchFolder folder;
    const auto path = "/nowhere:" + folder.path().string();
    CHECK_THROWS_WITH(
        check("vigil-bench --model mlp", path), Catch::Contains("vigil-worker --provide-bench"));
    CHECK_NOTHROW(check("./vigil-bench --model mlp", path));
    CHECK_NOTHROW(check("\"$(cat bench)\" --model mlp", path));
    std::ofstream(folder.path() / "vigil-bench") << "";
    CHECK_NOTHROW(check("vigil-bench --model mlp", path));
}
