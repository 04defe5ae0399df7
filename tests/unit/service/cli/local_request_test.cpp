#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/cli/command_line.hpp"
#include "service/cli/commands.hpp"
#include "service/cli/local/request.hpp"

using namespace vigil;
using namespace vigil::cli;
using Catch::Contains;

namespace {

Surroundings at_home() {
    Surroundings world;
    world.environment = {{"HOME", "/home/me"}};
    return world;
}

const Surroundings home = at_home();

local::LocalRequest ask(std::vector<std::string> more) {
    std::vector<std::string> args{"bisect", "run", "--good", "a", "--bad", "b", "--bench", "./b"};
    args.insert(args.end(), more.begin(), more.end());
    return request_of(parse_command_line(cli::vigil_program(), args), home);
}

}  // namespace

TEST_CASE("A search is asked for in a few words", "[service][cli]") {
    const auto plain = ask({});
    CHECK(plain.order.build == "true");
    CHECK(plain.order.threshold == 0.07);
    CHECK(plain.state == "/home/me/.local/state/vigil");
    CHECK(plain.jobs == 1);
    const auto full = ask(
        {"--metric",
         "samples",
         "--higher-is-better",
         "--threshold",
         "2.5%",
         "--outputs",
         "bin,lib/x.so",
         "--budget",
         "builds=20,runs=100,minutes=3,further=50%",
         "--state",
         "/s"});
    CHECK(full.order.measure == local::Measure::samples);
    CHECK(full.order.direction == Direction::higher_is_better);
    CHECK(full.order.threshold == Approx(0.025));
    CHECK(full.order.outputs == std::vector<std::string>{"bin", "lib/x.so"});
    CHECK(full.spending == local::Spending{100, 20, 180, 0.5});
    CHECK(ask({"--budget", "further=0"}).spending.further == 0);
    CHECK(full.state == "/s");
}

TEST_CASE("A quantity of a harness is asked for by its name", "[service][cli]") {
    const auto asked = ask({"--metric", "items_per_second", "--select", "BM_sum/8"});
    CHECK(asked.order.measure == local::Measure::quantity);
    CHECK(asked.order.quantity == "items_per_second");
    CHECK(asked.order.select == "BM_sum/8");
    CHECK(ask({"--case", "BM_sum/8"}).order.select == "BM_sum/8");
    CHECK_THROWS_WITH(ask({"--case", "a", "--select", "a"}), Contains("older name of --case"));
    CHECK(ask({"--metric", "quantity"}).order.quantity == "quantity");
    const auto turned = ask({"--metric", "hits", "--higher-is-better"});
    CHECK(turned.order.direction == Direction::higher_is_better);
}

TEST_CASE("Options of a search that make no sense are refused by name", "[service][cli]") {
    CHECK_THROWS_WITH(ask({"--threshold", "x"}), Contains("--threshold"));
    CHECK_THROWS_WITH(ask({"--threshold", "-1%"}), Contains("--threshold"));
    CHECK_THROWS_WITH(ask({"--budget", "hours=3"}), Contains("--budget"));
    CHECK_THROWS_WITH(ask({"--budget", "runs=0"}), Contains("--budget runs"));
    CHECK_THROWS_WITH(ask({"--budget", "runs=1,runs=2"}), Contains("given twice"));
    CHECK_THROWS_WITH(ask({"--budget", ","}), Contains("limits nothing"));
    CHECK_THROWS_WITH(ask({"--at-once", "4"}), Contains("--at-once is for"));
    CHECK_THROWS_WITH(ask({"--outputs", ","}), Contains("names no path"));
    CHECK_THROWS_WITH(ask({"--outputs", "../x"}), Contains("--outputs"));
    CHECK_THROWS_WITH(ask({"--outputs", "/etc"}), Contains("--outputs"));
    CHECK_THROWS_WITH(
        ask({"--metric", "tme"}),
        Contains("time, cpu, memory, samples") && Contains("did you mean 'time'?"));
    CHECK_THROWS_WITH(ask({"--higher-is-better"}), Contains("--metric samples"));
    CHECK_THROWS_WITH(ask({"--jobs", "0"}), Contains("--jobs"));
    CHECK_THROWS_WITH(
        request_of(parse_command_line(cli::vigil_program(), {"compare", "--good", "a"}), home),
        Contains("needs --bad"));
    CHECK_THROWS_WITH(
        request_of(
            parse_command_line(
                cli::vigil_program(), {"compare", "--good", "a", "--bad", "b", "--bench", "x"}),
            {}),
        Contains("--state"));
}
