#include "service/local/why.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/local/compare.hpp"
#include "tests/integration/service/local/small_repository.hpp"
#include "worker/run/callgrind.hpp"
#include "worker/run/profile/perf.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;
using vigil::test::ScratchFolder;

namespace {

/// Two commits of a program: the second calls `mix` three times as often.
/// @param times  100,000 calls
SmallRepository two_commits(const std::filesystem::path& folder, int times = 10) {
    SmallRepository repository(folder, {});
    const auto program = [&](const std::string& rounds) {
        repository.write("mix.c", "int mix(int x) {\n    return (x * 31 + 7) ^ (x >> 3);\n}\n");
        repository.write(
            "main.c",
            "#include <stdlib.h>\nint mix(int);\nint main(void) {\n    int sum = 0;\n"
            "    for (int i = 0; i < " +
                rounds +
                " * 100000; ++i) sum = mix(sum + i);\n    free(malloc(1));\n"
                "    return sum == 12345;\n}\n");
        repository.commit("rounds " + rounds);
    };
    program(std::to_string(times));
    program(std::to_string(3 * times));
    return repository;
}

LocalRequest request_for(const SmallRepository& repository, const std::filesystem::path& state) {
    auto request = request_on(repository, state, 1);
    request.good = "HEAD~1";
    request.bad = "HEAD";
    request.order.build = "cc -O1 -g -o bench main.c mix.c";
    request.order.bench = "./bench";
    request.order.outputs = {"bench"};
    request.order.measure = Measure::cpu;
    request.max_blocks = 2;
    request.why = true;
    return request;
}

/// Of two commits of a script, which nobody builds.
LocalRequest request_for_script(
    const SmallRepository& repository,
    const std::filesystem::path& state,
    const std::string& script,
    Measure measure) {
    auto request = request_for(repository, state);
    request.order.build = nothing_to_build;
    request.order.outputs = {};
    request.order.bench = "sh " + script;
    request.order.measure = measure;
    return request;
}

bool has_valgrind() {
    if (worker::why_no_callgrind().empty()) return true;
    WARN("not tested, " << worker::why_no_callgrind());
    SUCCEED();
    return false;
}

}  // namespace

TEST_CASE("A comparison says which functions execute more", "[service][local]") {
    if (!has_valgrind()) return;
    const ScratchFolder folder;
    const auto repository = two_commits(folder / "repo");
    auto request = request_for(repository, folder / "state");
    Scene scene;
    const auto result = compare(request, scene.world);
    REQUIRE(result.why);
    CAPTURE(result.why->why_none);
    REQUIRE(result.why->found);
    const auto& found = *result.why->found;
    REQUIRE(found.rows.size() >= 2);
    CHECK(found.rows[0].function == "mix");
    CHECK(found.rows[0].calls_before == 1'000'000);
    CHECK(found.rows[0].calls_after == 3'000'000);
    CHECK_FALSE(found.rows[0].touched);
    CHECK(found.rows[1].function == "main");
    CHECK(found.rows[1].file == "main.c");
    CHECK(found.rows[1].touched);
    CHECK(found.after > 2 * found.before);
    CHECK(result.why->flame.empty());  // callgrind knows no stacks
    CHECK_THAT(compare_text(result), Contains("why: instructions of one run of each side"));
    CHECK_THAT(compare_text(result), Contains("main.c *") && Contains("1.00 M -> 3.00 M"));
    CHECK(compare_json(result).at("why").at("rows").at(0).at("function") == "mix");
}

TEST_CASE(
    "A program that callgrind cannot run is told, and the verdict stays", "[service][local]") {
    if (!has_valgrind()) return;
    const ScratchFolder folder;
    const auto repository = two_commits(folder / "repo");
    auto request = request_for(repository, folder / "state");
    // Valgrind leaves itself no trace in a program's environment but its libraries.
    request.order.bench =
        "case \"$LD_LIBRARY_PATH$LD_PRELOAD\" in *valgrind*) exit 3;; esac; ./bench";
    Scene scene;
    const auto result = compare(request, scene.world);
    REQUIRE(result.why);
    CHECK(result.runs.size() >= 4);
    CHECK_THAT(result.why->why_none, Contains("under callgrind: "));
    if (!worker::why_no_perf().empty()) {
        CHECK_FALSE(result.why->found);
        CHECK_THAT(compare_text(result), Contains("why: not known: under callgrind: "));
        CHECK_THAT(result.why->why_none, Contains(worker::why_no_perf()));
        CHECK(compare_json(result).at("why").at("words").get<std::string>().find("not known") == 0);
        return;
    }
    REQUIRE(result.why->found);  // samples stand in
    CHECK(result.why->found->unit == profile::CostUnit::samples);
    CHECK_THAT(compare_text(result), Contains("why: samples of one run of each side, by perf"));
}

TEST_CASE("A comparison is sampled by perf where a person wishes", "[service][local]") {
    if (!worker::why_no_perf().empty()) {
        WARN("not tested, " << worker::why_no_perf());
        SUCCEED();
        return;
    }
    const ScratchFolder folder;
    const auto repository = two_commits(folder / "repo", 300);
    auto request = request_for(repository, folder / "state");
    request.order.build = "cc -O0 -g -o bench main.c mix.c";
    request.profiler = Profiler::perf;
    Scene scene;
    const auto result = compare(request, scene.world);
    REQUIRE(result.why);
    CAPTURE(result.why->why_none);
    REQUIRE(result.why->found);
    const auto& found = *result.why->found;
    CAPTURE(found.words);
    CHECK(found.unit == profile::CostUnit::samples);
    CHECK(found.beside.empty());
    CHECK(found.after > found.before);
    REQUIRE_FALSE(found.rows.empty());
    CHECK((found.rows[0].function == "mix" || found.rows[0].function == "main"));
    CHECK_THAT(result.why->flame, Contains("<svg") && Contains("mix"));
    CHECK_THAT(compare_text(result), Contains("of the run"));
    CHECK(compare_json(result).at("why").at("unit") == "samples");
}

TEST_CASE("Who stops the profiling has the verdict all the same", "[service][local]") {
    if (!has_valgrind()) return;
    const ScratchFolder folder;
    const auto repository = two_commits(folder / "repo");
    const auto request = request_for(repository, folder / "state");
    Scene scene;
    scene.lines.stop_at("profiling good");
    const auto result = compare(request, scene.world);
    REQUIRE(result.why);
    CHECK_FALSE(result.why->found);
    CHECK_FALSE(result.stopped);
    CHECK(compare_json(result).at("verdict") == "worse");
}

TEST_CASE("A comparison of memory says who asks for more", "[service][local]") {
    if (!has_valgrind()) return;
    const ScratchFolder folder;
    SmallRepository repository(folder / "repo", {});
    const auto program = [&](const std::string& mib) {
        repository.write(
            "cart.cpp",
            "#include <vector>\nnamespace shop {\nvoid fill(std::vector<char>& cart) {\n"
            "    cart.assign(" +
                mib + " * 1048576UL, 'x');\n}\n}\n");
        repository.write(
            "main.cpp",
            "#include <vector>\n#include <cstdlib>\nnamespace shop { void "
            "fill(std::vector<char>&); }\n"
            "int main() {\n    std::vector<char> cart;\n    shop::fill(cart);\n"
            "    void* more = std::calloc(1, 1 << 20);\n    const int odd = cart[77] == 'y' || "
            "more == nullptr;\n"
            "    std::free(more);\n    return odd;\n}\n");
        repository.commit("a cart of " + mib);
    };
    program("4");
    program("24");
    auto request = request_for(repository, folder / "state");
    request.order.build = "c++ -O1 -g -o bench main.cpp cart.cpp";
    request.order.measure = Measure::memory;
    Scene scene;
    const auto result = compare(request, scene.world);
    REQUIRE(result.why);
    CAPTURE(result.why->why_none);
    REQUIRE(result.why->found);
    const auto& found = *result.why->found;
    CHECK(found.unit == profile::CostUnit::peak_bytes);
    REQUIRE_FALSE(found.rows.empty());
    const auto& first = found.rows[0];
    CHECK(first.function == "shop::fill");
    CHECK(first.file == "cart.cpp");
    CHECK(first.touched);
    CHECK(first.before == 4 << 20);
    CHECK(first.after == 24 << 20);
    CHECK(first.share == Approx(1).margin(0.01));
    CHECK_THAT(
        compare_text(result),
        Contains("why: bytes at the peak of one run of each side, by dhat") &&
            Contains("cart.cpp *") && Contains("blocks"));
    CHECK(compare_json(result).at("why").at("unit") == "peak_bytes");
    CHECK_THAT(
        result.why->flame,
        Contains("before: good") &&
            Contains("<title>fill: 4.000 MiB before, 24.00 MiB after</title>"));
}

TEST_CASE("A comparison by vigil-bench says which operators take longer", "[service][local]") {
    const ScratchFolder folder;
    SmallRepository repository(folder / "repo", {});
    const auto program = [&](const std::string& name, int ns) {
        repository.write(
            "bench.sh",
            "times=" + std::to_string(ns) +
                "\nprofile=\n"
                "if [ \"$VIGIL_PROFILER\" = operators ]; then\n"
                "  "
                "profile=',\"profile\":{\"iterations\":2,\"outside_ns\":10,\"operators\":[{"
                "\"name\":"
                "\"aten::" +
                name +
                "\",\"forward\":2,\"backward\":0,\"self_ns\":'$times',\"bytes\":64,"
                "\"shapes\":[\"2x2 2x2\"]}]}'\nfi\n"
                "echo '{\"vigil_bench\":1,\"outcome\":\"passed\",\"samples\":{\"wall_time_ns\":['"
                "$times'.1,'$times'.2,'$times'.3]},\"info\":{\"device\":\"cpu\"'$profile'}}'\n");
        repository.commit("by " + name);
    };
    program("mkldnn_linear", 1000);
    program("addmm", 3000);
    Scene scene;
    const auto result = compare(
        request_for_script(repository, folder / "state", "bench.sh", Measure::samples),
        scene.world);
    REQUIRE(result.why);
    CAPTURE(result.why->why_none);
    REQUIRE(result.why->found);
    const auto& found = *result.why->found;
    CHECK(found.unit == profile::CostUnit::operator_ns);
    REQUIRE_FALSE(found.rows.empty());
    CHECK(found.rows[0].function == "aten::addmm");
    CHECK(found.rows[0].in_place_of == "aten::mkldnn_linear");
    CHECK(found.rows[0].after == 3000);
    CHECK_THAT(
        compare_text(result),
        Contains("why: time of an iteration of one run of each side, by vigil-bench") &&
            Contains("in place of aten::mkldnn_linear"));
}

TEST_CASE("A comparison by vigil-bench says which operators hold more memory", "[service][local]") {
    const ScratchFolder folder;
    SmallRepository repository(folder / "repo", {});
    const auto program = [&](int mebibytes) {
        const auto bytes = std::to_string(mebibytes << 20);
        const auto memory =
            R"#("memory":{"operators":[{"name":"(before the iterations)","peak_bytes":4096,)#"
            R"("peak_blocks":0,"grown_bytes":0},{"name":"lab::conv2d","peak_bytes":)" +
            bytes + R"(,"peak_blocks":3,"grown_bytes":0}]})";
        const std::string profile =
            R"("profile":{"iterations":2,"outside_ns":10,"operators":[{"name":"lab::conv2d",)"
            R"("forward":2,"backward":0,"self_ns":1000,"bytes":64}],)" +
            memory + "}";
        repository.write(
            "vigil-bench.sh",
            "held=$(head -c " + bytes + " /dev/zero | tr '\\0' x)\nprofile=\n" +
                "if [ \"$VIGIL_PROFILER\" = operators ]; then\n  profile='," + profile + "'\nfi\n" +
                "echo '{\"vigil_bench\":1,\"outcome\":\"passed\",\"samples\":{},\"info\":{"
                "\"device\":\"cpu\"'\"$profile\"'}}'\n");
        repository.commit("holds " + bytes);
    };
    program(1);
    program(20);
    Scene scene;
    const auto result = compare(
        request_for_script(repository, folder / "state", "vigil-bench.sh", Measure::memory),
        scene.world);
    REQUIRE(result.why);
    CAPTURE(result.why->why_none);
    REQUIRE(result.why->found);
    const auto& found = *result.why->found;
    CHECK(found.unit == profile::CostUnit::operator_peak_bytes);
    REQUIRE(found.rows.size() == 1);
    CHECK(found.rows[0].function == "lab::conv2d");
    CHECK(found.rows[0].before == 1 << 20);
    CHECK(found.rows[0].after == 20 << 20);
    CHECK(found.beside.empty());  // dhat is not asked
    REQUIRE_FALSE(found.notes.empty());
    CHECK_THAT(found.notes.back(), Contains("--profiler dhat"));
    CHECK_THAT(
        compare_text(result),
        Contains("why: bytes at the peak of one run of each side, by vigil-bench") &&
            Contains("lab::conv2d") && Contains("blocks"));
}
