#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/cli/run.hpp"
#include "tests/integration/service/local/small_repository.hpp"

using namespace vigil;
using namespace vigil::cli;
using Catch::Contains;
using local::test::SmallRepository;
using local::test::step_at;
using vigil::test::ScratchFolder;

namespace {

/// Prints two cases: one takes what the commit's build made, one stays as it is.
constexpr const char* two_cases =
    "v=$(cat out/value); echo \"sum  time:  [1 ns $v ns 3000 ns]\"; "
    "echo 'sort  time:  [1 ns 1000 ns 3000 ns]'";

struct Terminal {
    std::ostringstream out, err;

    int run(std::vector<std::string> args) {
        out.str("");
        err.str("");
        Surroundings world;
        world.out = &out;
        world.err = &err;
        world.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
        world.now_s = [] { return std::int64_t{1'700'000'000}; };
        world.child_program = std::filesystem::path(VIGIL_BINARY_DIR) / "vigil-child";
        return cli::run(args, world);
    }
};

}  // namespace

TEST_CASE("Many cases are worse where one is, and one alone is asked by name", "[service][cli]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(4, 2));
    const auto asked = [&](std::vector<std::string> command, std::vector<std::string> more = {}) {
        const std::vector<std::string> common{
            "--repo",
            repository.folder().string(),
            "--state",
            (folder / "state").string(),
            "--bad",
            "HEAD",
            "--build",
            "sh build.sh",
            "--bench",
            two_cases};
        command.insert(command.end(), common.begin(), common.end());
        command.insert(command.end(), more.begin(), more.end());
        return command;
    };
    Terminal terminal;
    CHECK(terminal.run(asked({"compare", "--good", "HEAD~4"})) == 1);
    CHECK_THAT(terminal.out.str(), Contains("worse: 1 of 2 cases"));
    CHECK(terminal.run(asked({"compare", "--good", "HEAD~4"}, {"--json"})) == 1);
    const auto json = nlohmann::json::parse(terminal.out.str());
    CHECK(json.at("verdict") == "worse");
    CHECK(json.at("cases").at(0).at("case") == "sum");
    CHECK(json.at("cases").at(1).at("verdict") == "same");
    CHECK(terminal.run(asked({"compare", "--good", "HEAD~4"}, {"--case", "sort"})) == 0);
    CHECK(terminal.run(asked({"compare", "--good", "HEAD~4"}, {"--select", "sum"})) == 1);
    CHECK(terminal.run(asked({"compare", "--good", "HEAD~4"}, {"--case", "heap"})) == 4);
    CHECK_THAT(terminal.err.str(), Contains("--case") && Contains("\"sum\", \"sort\""));

    CHECK(terminal.run(asked({"bisect", "run", "--good", "HEAD~4"})) == 0);
    CHECK_THAT(terminal.out.str(), Contains("searched sum") && Contains("--case sum"));
    CHECK(terminal.run(asked({"bisect", "run", "--good", "HEAD~4", "--better"})) == 1);
    CHECK_THAT(terminal.out.str(), Contains("none of 2 cases is better"));
}
