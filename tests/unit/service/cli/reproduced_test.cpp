#include "service/cli/ask/reproduced.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::cli;
using Catch::Contains;

namespace {

ComparedRuns compared_by(const std::string& more) {
    const auto found = find_compared(
        "( set -eu\n# compares {\"benchmark\":\"mlp\",\"good\":\"1a2b\",\"bad\":\"3c4d\","
        "\"direction\":\"lower_is_better\",\"threshold\":0.07," +
        more + "}\nfor turn in 1.good; do :; done )\n");
    REQUIRE(found);
    return *found;
}

std::string samples(const std::string& format, const std::string& unit = "") {
    return R"("samples":{"format":")" + format + R"(","printed":"wall_time_ns","unit":")" + unit +
           R"(","select":""})";
}

std::vector<ReproducedRun> turns(
    const std::vector<std::string>& outputs, const std::vector<std::string>& errors = {}) {
    std::vector<ReproducedRun> runs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        runs.push_back({i == 0 || i == 3, outputs[i], errors.empty() ? "" : errors[i]});
    }
    return runs;
}

}  // namespace

TEST_CASE("What was reproduced is told in the three lines of a comparison", "[service][cli]") {
    const auto torch = [](int ns) {
        return "== good\n{\"vigil_bench\":1,\"outcome\":\"passed\",\"samples\":{\"cpu_time_ns\":[" +
               std::to_string(ns) + "]},\"info\":{\"a\":[1,\n2]}}\n";
    };
    // vigil-bench's document stands on lines of its own behind the script's.
    const auto compared = compared_by(R"("metric":"cpu_time_ns","unit":"ns",)" + samples("vigil"));
    const auto text =
        reproduced_text(compared, turns({torch(1000), torch(1200), torch(1200), torch(1000)}));
    CHECK_THAT(text, Contains("CPU time of mlp  +20.0 %, 90 % interval"));
    CHECK_THAT(text, Contains("\n  good     1.000 µs  1a2b\n  bad      1.200 µs  3c4d\n"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
}

TEST_CASE("A run of a process is read from the line of its times", "[service][cli]") {
    const std::string fast = "warning\n0.80 s user, 0.20 s system, 1.50 s wall, 2048 KiB peak\n";
    const std::string slow = "0.90 s user, 0.20 s system, 1.60 s wall, 4096 KiB peak\n";
    const auto memory =
        compared_by(R"("metric":"peak_process_bytes","unit":"bytes",)" + samples("none"));
    const auto runs = turns({"", "", "", ""}, {fast, slow, slow, fast});
    CHECK_THAT(
        reproduced_text(memory, runs),
        Contains("peak memory of mlp  +100.0 %") && Contains("good     2.000 MiB  1a2b"));
    const auto cpu = compared_by(R"("metric":"cpu_time_ns","unit":"ns",)" + samples("none"));
    CHECK_THAT(reproduced_text(cpu, runs), Contains("+10.0 %") && Contains("bad      1.100 s"));
    const auto lines =
        compared_by(R"("metric":"wall_time_ns","unit":"ns",)" + samples("lines", "ms"));
    CHECK_THAT(
        reproduced_text(
            lines, turns({"== good\n4\n6\n", "== bad\n5\n", "== bad\n5\n", "== good\n5\n"})),
        Contains("good     5.000 ms"));
}

TEST_CASE(
    "A script of an older report compares nothing, and a run without a value is told",
    "[service][cli]") {
    CHECK_FALSE(find_compared("( set -eu\nfor side in good bad; do run $side; done )\n"));
    const auto cpu = compared_by(R"("metric":"cpu_time_ns","unit":"ns",)" + samples("none"));
    CHECK_THROWS_WITH(
        reproduced_text(cpu, turns({"", "", "", ""})), Contains("good build gave no CPU time"));
    const auto torch = compared_by(R"("metric":"cpu_time_ns","unit":"ns",)" + samples("vigil"));
    CHECK_THROWS_WITH(
        reproduced_text(torch, turns({"x", "x", "x", "x"})),
        Contains("gave no CPU time: reading the benchmark's output"));
}
