#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

TEST_CASE("A report's command is run or shown as it stands", "[service][cli]") {
    const std::string list = "GET /api/v1/reports?kind=regression&limit=1&regression=7";
    Desk desk;
    desk.answer(list, R"({"items":[{"id":12}],"next_cursor":null})");
    desk.answer(
        "GET /api/v1/reports/12",
        R"({"id":12,"body":"## x\n### Reproduce\n\nOne:\n\n````bash\n( a\n```\nb )\n````\n\nend"})");
    CHECK(desk.run({"reproduce", "7", "--print"}) == 0);
    CHECK(desk.out.str() == "( a\n```\nb )\n");
    desk.out.str("");
    CHECK(desk.run({"reproduce", "7", "--json"}) == 0);
    CHECK(desk.said("\"regression\": 7,"));
    CHECK(desk.said("\"report\": 12,"));
    CHECK(desk.scripts.empty());
    CHECK(desk.run({"reproduce", "7"}) == 0);
    CHECK(desk.scripts == std::vector<std::string>{"( a\n```\nb )\n"});
    desk.script_code = 3;
    CHECK(desk.run({"reproduce", "7"}) == 4);
    CHECK(desk.complained("ended with 3"));
}

TEST_CASE("A report's command finds the repository that the config names", "[service][cli]") {
    const test::ScratchFolder folder;
    Desk desk;
    desk.answer(
        "GET /api/v1/reports?kind=regression&limit=1&regression=7",
        R"({"items":[{"id":12,"project":"lab"}],"next_cursor":null})");
    desk.answer("GET /api/v1/reports/12", R"({"body":"### Reproduce\n\n```bash\nmake\n```\n"})");
    const auto config = (folder / "vigild.json").string();
    std::ofstream(config) << R"({"projects":{"lab":{"source":{"repository":"/src/my lab"}}}})";
    CHECK(desk.run({"reproduce", "7", "--config", config}) == 0);
    CHECK(desk.scripts == std::vector<std::string>{"export REPOSITORY='/src/my lab'\nmake\n"});
    std::ofstream(config) << R"({"projects":{}})";
    CHECK(desk.run({"reproduce", "7", "--config", config}) == 4);
    CHECK(desk.complained("projects.lab.source.repository is not set"));
}

TEST_CASE("What a report's command measured is told as by vigil compare", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/reports?kind=regression&limit=1&regression=7",
        R"({"items":[{"id":12}],"next_cursor":null})");
    const std::string line =
        R"(# compares {\"benchmark\":\"mlp\",\"good\":\"1a\",\"bad\":\"2b\",\"metric\":)"
        R"(\"wall_time_ns\",\"unit\":\"ns\",\"direction\":\"lower_is_better\",\"threshold\":0.07,)"
        R"(\"samples\":{\"format\":\"lines\",\"printed\":\"wall_time_ns\",\"unit\":\"ms\",)"
        R"(\"select\":\"\"}})";
    desk.answer(
        "GET /api/v1/reports/12",
        R"({"id":12,"body":"### Reproduce\n\n```bash\n( a\n)" + line + R"(\nb )\n```\n"})");
    desk.runs = {{"1.good", "4\n"}, {"2.bad", "5\n"}, {"3.bad", "5\n"}, {"4.good", "4\n"}};
    CHECK(desk.run({"reproduce", "7"}) == 0);
    CHECK(desk.said("wall time of mlp  +25.0 %"));
    CHECK(desk.said("good     4.000 ms  1a\n"));
    CHECK(desk.said("bad      5.000 ms  2b\n"));
    desk.runs = {{"1.good", "4\n"}, {"2.bad", "nothing\n"}};
    desk.script_code = 1;
    CHECK(desk.run({"reproduce", "7"}) == 4);
    CHECK(desk.complained("ended with 1: error: of 2.bad"));
}

TEST_CASE("A regression without a report or a command says so", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/reports?kind=regression&limit=1&regression=7",
        R"({"items":[],"next_cursor":null})");
    CHECK(desk.run({"reproduce", "7"}) == 4);
    CHECK(desk.complained("has no report yet"));
    for (const char* body :
         {"## x",
          R"(### Reproduce\n\nNo command\n\n### Next\n\n```bash\nx\n```\n)",
          R"(### Reproduce\n\n```bash\nnever ends)"}) {
        Desk other;
        other.answer(
            "GET /api/v1/reports?kind=regression&limit=1&regression=7",
            R"({"items":[{"id":12}],"next_cursor":null})");
        other.answer("GET /api/v1/reports/12", R"({"id":12,"body":")" + std::string(body) + "\"}");
        CHECK(other.run({"reproduce", "7"}) == 4);
        CHECK(other.complained("has no command"));
        CHECK(other.scripts.empty());
    }
}
