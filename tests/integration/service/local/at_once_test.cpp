#include <catch2/catch.hpp>

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

/// Whether this machine can show several products at one path; says so when it cannot.
bool can_be_at_once(const LocalRequest& request) {
    Scene scene;
    LocalRequest asked = request;
    asked.at_once = 2;
    try {
        const Bench bench(asked, scene.world);
        return true;
    } catch (const Error& error) {
        WARN("not tested, " << error.what());
        SUCCEED();
        return false;
    }
}

std::set<int> groups_in(const std::filesystem::path& log) {
    std::set<int> groups;
    for (const auto& entry : read_log(log)) {
        const auto* run = std::get_if<RunEnded>(&entry);
        if (run != nullptr) groups.insert(run->group);
    }
    return groups;
}

}  // namespace

TEST_CASE("Runs at once see each its own product at the one path", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(8, 5));
    auto request = request_on(repository, folder / "state", 8);
    if (!can_be_at_once(request)) return;
    request.at_once = 4;
    const auto seen = (folder / "seen").string();
    request.order.bench =
        "echo $PWD $VIGIL_TURNS_MEMBERS >> " + seen + "; cat out/value; echo more > own";
    Scene scene;
    const auto before = repository.ask("worktree list") + repository.ask("status --porcelain");
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings[0].first == 5);
    CHECK_FALSE(groups_in(result.log).contains(-1));  // none ran alone
    CHECK(replay(read_log(result.log)).difference.empty());
    const auto text = vigil::test::content_of(seen);
    CHECK_THAT(text, Contains("/work/0/tree 4"));
    CHECK(repository.ask("worktree list") + repository.ask("status --porcelain") == before);
    CHECK_FALSE(std::filesystem::exists(result.folder / "work"));
    Scene again;
    const auto compared = compare(request, again.world);
    CHECK(compared.judgement.verdict == Verdict::regression);
    CHECK(compared.judgement.comparison.change_ratio == Approx(0.15).margin(0.001));
}

TEST_CASE("Processor time is measured on one processor at once", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(2, 2, 20'000, 60'000));
    auto request = request_on(repository, folder / "state", 2);
    if (!can_be_at_once(request)) return;
    request.order.measure = Measure::cpu;
    request.at_once = at_once_for(Measure::cpu);  // whether that disturbs is not asked
    const auto seen = (folder / "seen").string();
    request.order.bench = "grep Cpus_allowed_list /proc/self/status >> " + seen +
                          "; n=$(cat out/value); i=0; while [ $i -lt $n ]; do i=$((i+1)); done";
    Scene scene;
    const auto result = compare(request, scene.world);
    CHECK(result.order.at_once > 1);
    CHECK(result.judgement.verdict == Verdict::regression);
    std::istringstream lines(vigil::test::content_of(seen));
    std::set<std::string> processors;
    for (std::string line; std::getline(lines, line);) processors.insert(line);
    CHECK(processors.size() == 1);
}

TEST_CASE("A benchmark that stands no other beside it is measured alone", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    auto request = request_on(repository, folder / "state", 3);
    if (!can_be_at_once(request)) return;
    request.at_once = 4;
    request.order.bench =
        "if [ $VIGIL_TURNS_MEMBERS -gt 1 ]; then echo in use; exit 9; fi; cat "
        "out/value";
    Scene scene;
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings[0].first == 2);
    CHECK(groups_in(result.log) == std::set<int>{-1});
}

TEST_CASE("Runs at once are stopped, and go on, like any other", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(9, 4));
    auto request = request_on(repository, folder / "state", 9);
    if (!can_be_at_once(request)) return;
    request.at_once = 6;
    int stops = 0;
    BisectResult result;
    for (; stops < 60; ++stops) {
        Scene scene;
        scene.lines.stop_after(4 + stops % 5);
        result = bisect(request, scene.world);
        if (!result.stopped) break;
        CHECK_FALSE(std::filesystem::exists(result.folder / "work"));
    }
    CHECK(stops > 2);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings[0].first == 4);
    CHECK(replay(read_log(result.log)).difference.empty());
}

TEST_CASE("What cannot be measured at once is refused", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(2, 1));
    auto request = request_on(repository, folder / "state", 2);
    request.at_once = 4;
    for (const auto measure : {Measure::time, Measure::memory}) {
        request.order.measure = measure;
        Scene scene;
        CHECK_THROWS_WITH(compare(request, scene.world), Contains("--at-once is for"));
    }
}
