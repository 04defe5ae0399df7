#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "service/local/bisect.hpp"
#include "service/local/compare.hpp"
#include "service/local/explain.hpp"
#include "service/local/journal.hpp"
#include "tests/integration/service/local/small_repository.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;
using vigil::test::ScratchFolder;

namespace {

/// Prints as Google Benchmark does: a table, or JSON where its variable asks for it.
constexpr const char* google =
    "v=$(cat out/value); if [ \"${BENCHMARK_FORMAT:-}\" = json ]; then "
    "echo \"{\\\"context\\\":{},\\\"benchmarks\\\":[{\\\"name\\\":\\\"BM_sum\\\","
    "\\\"run_type\\\":\\\"iteration\\\",\\\"iterations\\\":9,\\\"real_time\\\":$v.25,"
    "\\\"cpu_time\\\":$v,\\\"time_unit\\\":\\\"us\\\"}]}\"; else "
    "echo 'Benchmark   Time   CPU   Iterations'; echo \"BM_sum   $v us   $v us   9\"; fi";

LocalRequest timed(const SmallRepository& repository, const ScratchFolder& folder, int back) {
    auto request = request_on(repository, folder / "state", back);
    request.order.measure = Measure::time;
    request.order.bench = google;
    return request;
}

}  // namespace

TEST_CASE("A harness's own numbers are compared by default, in its unit", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2, 47000, 52640));
    Scene scene;
    const auto result = compare(timed(repository, folder, 3), scene.world);
    CHECK(result.judgement.verdict == Verdict::regression);
    CHECK(result.judgement.comparison.change_ratio == Approx(0.12).margin(0.001));
    CHECK_THAT(
        compare_text(result),
        Contains("time of BM_sum  +12.0 %") && Contains("47.00 ms") && Contains("52.64 ms") &&
            Contains("run: export BENCHMARK_FORMAT=json; v="));
    const auto json = compare_json(result);
    CHECK(json.at("unit") == "ns");
    CHECK(json.at("read_as").at("program") == "Google Benchmark");
    CHECK(json.at("values").at(0).at("value") == 47000250);
}

TEST_CASE("Of several benchmarks one is judged where it is named", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    auto request = timed(repository, folder, 3);
    request.order.bench =
        "v=$(cat out/value); echo \"sum  time:  [1 ns $v ns 3000 ns]\"; "
        "echo 'sort  time:  [1 ns 1000 ns 3000 ns]'";
    Scene scene;
    request.order.select = "other";
    CHECK_THROWS_WITH(
        compare(request, scene.world), Contains("\"sum\", \"sort\"") && Contains("--case"));
    request.order.select = "sum";
    CHECK(compare(request, scene.world).judgement.verdict == Verdict::regression);
    request.order.bench = "hyperfine --version > /dev/null 2>&1; true";
    CHECK_THROWS_WITH(compare(request, scene.world), Contains("is not judged"));
}

TEST_CASE("A search reads a harness, and its log says how", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(6, 4));
    auto request = timed(repository, folder, 6);
    Scene scene;
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings.front().ending == search::Ending::culprit);
    CHECK(result.decision.endings.front().first == 4);
    CHECK(unit_of(result.story.order()) == "ns");
    const auto log = read_log(result.log);
    CHECK(replay(log).difference.empty());
    CHECK_THAT(explain(log, 60), Contains("1.000 ms") && Contains("1.150 ms"));
    // It is known when the search goes on, or is told again.
    Scene again;
    CHECK(bisect(request, again.world).story.order().read_as == result.story.order().read_as);
}

TEST_CASE("A benchmark that fails by nature is measured where that is told", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    auto request = request_on(repository, folder / "state", 3);
    request.order.bench = "cat out/value; exit 1";
    Scene scene;
    CHECK_THROWS_WITH(compare(request, scene.world), Contains("exit code 1"));
    request.order.ignore_failure = true;
    CHECK(compare(request, scene.world).judgement.verdict == Verdict::regression);
    request.order.bench = "no-such-program";
    CHECK_THROWS_WITH(compare(request, scene.world), Contains("127"));
}

TEST_CASE("A search of a harness's CPU time goes on one run at a time", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(8, 5, 47000, 61100));
    auto request = timed(repository, folder, 8);
    request.order.measure = Measure::cpu;
    request.order.at_once = at_once_for(Measure::cpu);
    REQUIRE(request.order.at_once > 1);
    Scene scene;
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings[0].ending == search::Ending::culprit);
    CHECK(result.decision.endings[0].first == 5);
    for (const auto& entry : read_log(result.log)) {
        const auto* run = std::get_if<RunEnded>(&entry);
        if (run != nullptr) CHECK(run->group == -1);
    }
}
