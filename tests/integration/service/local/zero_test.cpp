#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/local/answer.hpp"
#include "service/local/bisect.hpp"
#include "service/local/compare.hpp"
#include "service/local/explain.hpp"
#include "service/local/journal.hpp"
#include "service/local/report.hpp"
#include "tests/integration/service/local/small_repository.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;
using vigil::test::ScratchFolder;

namespace {

/// Prints as a Go benchmark does that tells its allocations.
constexpr const char* go_lines =
    "v=$(cat out/value); echo goos: linux; "
    "echo \"BenchmarkSum-8   1000   1200 ns/op   0 B/op   $v allocs/op\"";

LocalRequest counted(const SmallRepository& repository, const ScratchFolder& folder, int back) {
    auto request = request_on(repository, folder / "state", back);
    request.order.measure = Measure::quantity;
    request.order.quantity = "allocs/op";
    request.order.bench = go_lines;
    return request;
}

}  // namespace

TEST_CASE("A change from 0 is compared and told with both values", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2, 0, 2));
    Scene scene;
    const auto worse = compare(counted(repository, folder, 3), scene.world);
    CHECK(worse.judgement.verdict == Verdict::regression);
    CHECK(worse.judgement.comparison.change_ratio == from_zero);
    CHECK_THAT(
        compare_text(worse),
        Contains("from 0") && Contains("good     0") && Contains("bad      2") &&
            !Contains("unknown"));
    CHECK(compare_json(worse).at("comparison").at("change_ratio").is_null());
    auto back = counted(repository, folder, 3);
    std::swap(back.good, back.bad);
    CHECK(compare(back, scene.world).judgement.verdict == Verdict::improvement);
    back.good = "HEAD~2";
    back.bad = "HEAD~3";
    CHECK(compare(back, scene.world).judgement.verdict == Verdict::noise);
}

TEST_CASE("A search finds the commit that made 0 something", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(8, 5, 0, 2));
    const auto request = counted(repository, folder, 8);
    Scene scene;
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    const auto& found = result.decision.endings.front();
    CHECK(found.ending == search::Ending::culprit);
    CHECK(found.first == 5);
    CHECK(found.verified.before == 0);
    CHECK(found.verified.after == Approx(2));
    const auto text = answer_text({{result.story, result.decision}});
    CHECK_THAT(
        text,
        Contains("effect    0 to 2 allocs/op of BenchmarkSum-8 against") &&
            Contains("explains  100 % of the change from 0 between the ends"));
    const auto json = nlohmann::json::parse(answer_json({{result.story, result.decision}}).dump());
    CHECK(json.at("comparison").at("change_ratio").is_null());
    CHECK(json.at("ends").at("good") == 0);
    CHECK(json.at("ends").at("change_ratio").is_null());
    const auto log = read_log(result.log);
    CHECK(replay(log).difference.empty());
    CHECK_THAT(explain(log, 60), Contains("2.000 allocs/op") && !Contains("nothing"));
}

TEST_CASE("A search finds the commit that made something 0", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(8, 5, 2, 0));
    auto request = counted(repository, folder, 8);
    request.order.better = true;
    Scene scene;
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    const auto& found = result.decision.endings.front();
    CHECK(found.ending == search::Ending::culprit);
    CHECK(found.first == 5);
    CHECK(found.verified.change_ratio == Approx(-1));
}

TEST_CASE("A run that failed is none in a log of before zeros counted", "[service][local]") {
    const auto entry = parse_entry(
        R"({"event":"run_ended","probe":0,"position":1,"value":0.0,"seconds":1.0,"message":"it died"})",
        "line 1");
    CHECK_FALSE(std::get<RunEnded>(entry).value);
}
