// vigil import: files of other programs are sent as they are.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "tests/integration/service/cli/desk.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::cli::testing;
using Catch::Contains;

namespace {

const std::string hash(40, 'a');

std::string taken(const std::string& state, bool again) {
    return R"({"project":"lab","taken":)" + std::string(again ? "0" : "1") + R"(,"again":)" +
           (again ? "1" : "0") + R"(,"nights":[{"nightly":5,"name":"2026-01-02","version":"v1",
"revision":")" +
           hash + R"(","machine_class":"ci","state":")" + state + R"(","readings":2,"again":)" +
           (again ? "true" : "false") + "}]}";
}

struct Files {
    test::ScratchFolder folder;
    std::string add(const std::string& name, const std::string& text) {
        std::ofstream(folder / name) << text;
        return (folder / name).string();
    }
};

}  // namespace

TEST_CASE("A file is sent as it is, with what it does not say", "[service][cli]") {
    Desk desk;
    Files files;
    desk.answer(
        "POST "
        "/api/v1/"
        "results?closed=true&file_name=out.json&machine_class=ci&measured_at=2026-01-02&project=lab"
        "&revision=" +
            hash + "&version=v1",
        taken("measuring", false),
        201);
    const auto file = files.add("out.json", "the file\n");
    const std::vector<std::string> line{
        "import",
        file,
        "--project",
        "lab",
        "--machine-class",
        "ci",
        "--revision",
        hash,
        "--name",
        "v1",
        "--time",
        "2026-01-02",
        "--closed"};
    CHECK(desk.run(line) == 0);
    CHECK(desk.requests.back().body == "the file\n");
    CHECK(
        desk.said("2026-01-02     v1                   ci                    2 readings  imported, "
                  "to be judged\n"));
    CHECK(desk.said("1 report imported, 0 imported before.\n"));
}

TEST_CASE("What was sent before is already there", "[service][cli]") {
    Desk desk;
    Files files;
    desk.answer("POST /api/v1/results?file_name=a&history=true&project=lab", taken("done", true));
    CHECK(desk.run({"import", files.add("a", "x"), "--project", "lab", "--history"}) == 0);
    CHECK(desk.said("imported before\n0 reports imported, 1 imported before.\n"));
    CHECK(
        desk.run({"import", files.add("a", "x"), "--project", "lab", "--history", "--json"}) == 0);
    CHECK(desk.said(R"("again": true)"));
}

TEST_CASE("Several files go together, one a line", "[service][cli]") {
    Desk desk;
    Files files;
    desk.answer("POST /api/v1/results?project=lab", taken("measuring", false), 201);
    CHECK(
        desk.run(
            {"import",
             files.add("a", "one\n"),
             files.add("b", "two"),
             "--project",
             "lab",
             "--machine-class",
             "ci"}) == 0);
    const auto& body = desk.requests.back().body;
    const auto first = wire::parse_json(body.substr(0, body.find('\n')), "the line");
    CHECK(first.at("report") == "one\n");
    CHECK(first.at("machine_class") == "ci");
    CHECK(first.at("file_name") == "a");
    CHECK_THAT(body, Contains("\"two\""));
}

TEST_CASE("What was left out is named", "[service][cli]") {
    Desk desk;
    Files files;
    auto reply = wire::parse_json(taken("measuring", false), "the reply");
    reply["nights"][0]["left_out"] = {"line 3: 'x' is no number"};
    reply["nights"][0]["left_out_count"] = 3;
    reply["files_left_out"] = {{{"file", "machine.json"}, {"why", "reading machine.json: no"}}};
    reply["files_left_out_count"] = 1;
    desk.answer("POST /api/v1/results?project=lab", reply.dump(), 201);
    CHECK(
        desk.run(
            {"import", files.add("a", "1"), files.add("machine.json", "2"), "--project", "lab"}) ==
        0);
    CHECK(desk.complained("note: left out: reading machine.json: no\n"));
    CHECK(desk.complained("note: left out: v1: line 3: 'x' is no number\n"));
    CHECK(desk.complained("note: left out: and 2 more\n"));
    CHECK(desk.said("1 report imported, 0 imported before.\n"));
}

TEST_CASE("What cannot be sent is said before anything is", "[service][cli]") {
    Desk desk;
    Files files;
    const auto file = files.add("a", "x");
    CHECK(desk.run({"import", "--project", "lab"}) == 2);
    CHECK(desk.complained("at least one FILE"));
    CHECK(desk.run({"import", file}) == 2);
    CHECK(desk.complained("--project is missing"));
    CHECK(desk.run({"import", file, "--project", "lab", "--format", "hyperfin"}) == 2);
    CHECK(desk.complained("hyperfine"));
    CHECK(desk.run({"import", file + "-gone", "--project", "lab"}) == 4);
    CHECK(desk.requests.empty());
    CHECK(desk.run({"import", file, "--project", "lab"}) == 4);
    CHECK(desk.complained("no such thing"));
}

TEST_CASE("Runs that were asked for elsewhere are answered in their order", "[service][cli]") {
    Desk desk;
    Files files;
    desk.answer(
        "POST /api/v1/jobs/41/answer",
        R"({"job":41,"attempt":2,"runs":2,"passed":1,"again":false,"state":"done"})",
        201);
    const auto first = files.add("run-0.json", R"({"sort": {"latency": {"value": 1}}})");
    const auto second = files.add("run-1.json", "");
    CHECK(desk.run({"answer", "41", first, second, "--attempt", "2", "--machine", "m1"}) == 0);
    CHECK(desk.out.str() == "job 41 is done: 1 of 2 runs passed\n");
    const auto sent = wire::parse_json(desk.requests.back().body, "what was sent");
    CHECK(sent.at("attempt") == 2);
    CHECK(sent.at("machine") == "m1");
    CHECK_THAT(sent.at("runs").at(0).at("report").get<std::string>(), Contains("latency"));
    CHECK(sent.at("runs").at(0).at("file_name") == "run-0.json");
    CHECK(sent.at("runs").at(1).at("failure") == "the run wrote no report");
    CHECK(desk.run({"answer", "41", "--attempt", "2", "--failed", "no runner"}) == 0);
    CHECK(
        wire::parse_json(desk.requests.back().body, "what was sent").at("failure") == "no runner");
    CHECK(desk.run({"answer", "41", "--attempt", "2"}) == 2);
    CHECK(desk.run({"answer", "41", first}) == 2);
}
