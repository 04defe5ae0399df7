#include "service/local/bisect.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/local/explain.hpp"
#include "service/local/journal.hpp"
#include "tests/integration/service/local/small_repository.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using vigil::test::ScratchFolder;

namespace {

/// What git says of worktrees and of the user's own: nothing of ours may be left.
std::string traces(const SmallRepository& repository) {
    return repository.ask("worktree list --porcelain") + repository.ask("status --porcelain");
}

int culprit_of(const BisectResult& result) {
    if (!result.decision.done) return -1;
    const auto& ending = result.decision.endings.front();
    return ending.ending == search::Ending::culprit ? ending.first : -2;
}

int measured_twice(const std::vector<LogEntry>& entries) {
    std::set<std::pair<int, int>> seen;
    int twice = 0;
    for (const auto& entry : entries) {
        const auto* run = std::get_if<RunEnded>(&entry);
        if (run != nullptr && !seen.insert({run->probe, run->position}).second) ++twice;
    }
    return twice;
}

}  // namespace

TEST_CASE(
    "A culprit between broken commits is found without a trace in the repository",
    "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(24, 15), {6, 12, 13});
    repository.write("value", "edited, not committed\n");
    const auto before = traces(repository);
    Scene scene;
    const auto result = bisect(request_on(repository, folder / "state", 24), scene.world);
    CHECK(culprit_of(result) == 15);
    CHECK(result.story.suspect(15).subject == "change 15");
    CHECK(result.decision.endings[0].verified.change_ratio == Approx(0.15).margin(0.01));
    CHECK(result.story.builds() < 14);
    CHECK(traces(repository) == before);
    CHECK(vigil::test::content_of(repository.folder() / "value") == "edited, not committed\n");
    CHECK_FALSE(std::filesystem::exists(result.folder / "work"));
    CHECK(scene.lines.text().find("uncommitted changes are left alone") != std::string::npos);
    const auto again = replay(read_log(result.log));
    CHECK(again.difference.empty());
    CHECK(again.decision.endings[0].first == 15);
}

TEST_CASE("A search that ended is told again without any run", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(9, 4));
    Scene first;
    const auto request = request_on(repository, folder / "state", 9);
    const auto found = bisect(request, first.world);
    const auto log = vigil::test::content_of(found.log);
    Scene second;
    const auto told = bisect(request, second.world);
    CHECK(culprit_of(told) == 4);
    CHECK(told.story.runs() == found.story.runs());
    CHECK(vigil::test::content_of(found.log) == log);
}

TEST_CASE("A search that other rules began is not gone on with", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(5, 3));
    const auto request = request_on(repository, folder / "state", 5);
    Scene first;
    const auto found = bisect(request, first.world);
    auto log = vigil::test::content_of(found.log);
    const auto planner = "\"planner\":" + std::to_string(search::planner_version);
    log.replace(log.find(planner), planner.size(), "\"planner\":1");
    std::ofstream(found.log, std::ios::trunc) << log;
    Scene second;
    CHECK_THROWS_WITH(
        bisect(request, second.world),
        Catch::Contains(found.log.string()) && Catch::Contains("version 1 of the rules") &&
            Catch::Contains("begin anew with --again"));
}

TEST_CASE(
    "A search stopped again and again measures nothing twice and finds the same",
    "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(16, 11), {8});
    Scene whole;
    const auto straight = bisect(request_on(repository, folder / "whole", 16), whole.world);
    const auto request = request_on(repository, folder / "state", 16);
    int stops = 0;
    BisectResult result;
    for (; stops < 60; ++stops) {
        Scene scene;
        scene.lines.stop_after(4 + stops % 3);
        result = bisect(request, scene.world);
        if (!result.stopped) break;
        CHECK_FALSE(std::filesystem::exists(result.folder / "work"));
    }
    CHECK(stops > 5);
    CHECK(culprit_of(result) == 11);
    CHECK(result.story.runs() == straight.story.runs());
    CHECK(result.story.builds() == straight.story.builds());
    CHECK(measured_twice(read_log(result.log)) == 0);
    CHECK(replay(read_log(result.log)).difference.empty());
}

TEST_CASE(
    "A log that a kill cut after a line, or within one, leads to the same answer",
    "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(7, 5));
    const auto request = request_on(repository, folder / "state", 7);
    Scene first;
    const auto found = bisect(request, first.world);
    const std::string log = vigil::test::content_of(found.log);
    int cuts = 0;
    int line = 0;
    for (std::size_t at = log.find('\n'); at + 1 < log.size(); at = log.find('\n', at + 1)) {
        if (++line % 5 != 0) continue;  // each kind of line, in turn
        const std::size_t within = ++cuts % 2 == 0 ? 9 : 1;
        std::ofstream(found.log, std::ios::trunc) << log.substr(0, at + within);
        Scene scene;
        const auto again = bisect(request, scene.world);
        INFO("cut after " << at + within << " bytes");
        CHECK(culprit_of(again) == 5);
        CHECK(again.story.runs() == found.story.runs());
        CHECK(measured_twice(read_log(found.log)) == 0);
    }
    CHECK(cuts > 4);
}

TEST_CASE(
    "A product that a kill left at its place is measured, not built again", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(5, 3));
    auto request = request_on(repository, folder / "state", 5);
    Scene first;
    const auto found = bisect(request, first.world);
    const auto product = found.folder / "products" / repository.ask("rev-parse HEAD");
    std::filesystem::create_directories(found.folder / "work" / "0");
    std::filesystem::rename(product / "tree", found.folder / "work" / "0" / "tree");
    std::ofstream(found.folder / "work" / "0" / "product") << product.filename().string();
    request.again = true;
    Scene second;
    const auto again = bisect(request, second.world);
    CHECK(culprit_of(again) == 3);
    CHECK(again.story.builds() == 0);
}

TEST_CASE("Several builds at a time find the same culprit", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(20, 7), {10});
    auto request = request_on(repository, folder / "state", 20);
    request.jobs = 3;
    const auto before = traces(repository);
    Scene scene;
    const auto result = bisect(request, scene.world);
    CHECK(culprit_of(result) == 7);
    CHECK(traces(repository) == before);
    CHECK(replay(read_log(result.log)).difference.empty());
}

TEST_CASE("Memory that one commit takes more is found", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(6, 4, 20'000'000, 30'000'000));
    auto request = request_on(repository, folder / "state", 6);
    // tail keeps a line without an end in memory
    request.order.bench = "head -c $(cat out/value) /dev/zero | tail > /dev/null";
    request.order.measure = Measure::memory;
    Scene scene;
    const auto result = bisect(request, scene.world);
    CHECK(culprit_of(result) == 4);
    CHECK(result.decision.endings[0].verified.after > 30e6);
}

TEST_CASE("The commit that made it better is found where that is asked", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(8, 3, 1000, 700));
    auto request = request_on(repository, folder / "state", 8);
    Scene first;
    const auto worse = bisect(request, first.world);
    REQUIRE(worse.decision.done);
    CHECK(worse.decision.endings[0].ending == search::Ending::not_reproduced);
    request.order.better = true;
    Scene second;
    const auto result = bisect(request, second.world);
    CHECK(culprit_of(result) == 3);
    CHECK(result.decision.endings[0].verified.change_ratio == Approx(-0.3).margin(0.01));
    CHECK(result.log != worse.log);
    CHECK(replay(read_log(result.log)).difference.empty());
}

TEST_CASE("Ends that measure the same are not reproduced", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(12, 99));
    Scene scene;
    const auto result = bisect(request_on(repository, folder / "state", 12), scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings[0].ending == search::Ending::not_reproduced);
    CHECK(result.story.builds() == 2);
}

TEST_CASE(
    "A culprit hidden by broken builds is a range no wider than they force", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(12, 6), {6, 7});
    Scene scene;
    const auto result = bisect(request_on(repository, folder / "state", 12), scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings[0].first == 6);
    CHECK(result.decision.endings[0].last == 8);
}

TEST_CASE(
    "A spent budget leaves a range, and a larger one goes on from there", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(30, 19));
    auto request = request_on(repository, folder / "state", 30);
    request.spending.runs = 9;
    Scene first;
    const auto range = bisect(request, first.world);
    REQUIRE(range.decision.done);
    CHECK(range.decision.endings[0].ending == search::Ending::range);
    CHECK(range.decision.endings[0].reason.find("9 runs are spent") != std::string::npos);
    request.spending.runs = 500;
    Scene second;
    const auto found = bisect(request, second.world);
    CHECK(culprit_of(found) == 19);
    CHECK(measured_twice(read_log(found.log)) == 0);
}

TEST_CASE("No build sees what another one left, made or changed", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(12, 5), {3});
    repository.write(".gitignore", "*.o\n");
    repository.write("same", "as committed\n");
    repository.commit("what builds spoil");
    repository.write("value", "1151\n");
    repository.commit("the same build once more");
    auto request = request_on(repository, folder / "state", 14);
    request.order.outputs =
        GENERATE(std::vector<std::string>{}, std::vector<std::string>{"out/value", "./out/"});
    const std::string hide = GENERATE("--refresh", "--assume-unchanged", "--skip-worktree");
    request.order.build =
        "test ! -e made.o && test ! -e nested && test ! -e left || exit 3; "
        "test ! -e same || grep -q '^as committed$' same || exit 4; "
        "! grep -q spoiled build.sh || exit 5; "
        "touch made.o left; git init -q nested; touch nested/file; "
        "test ! -e same || echo spoiled > same; rm -f note; sh build.sh || exit; "
        "echo '# spoiled' >> build.sh; git update-index " +
        hide + " build.sh || true";
    Scene scene;
    const auto result = bisect(request, scene.world);
    CHECK(culprit_of(result) == 5);
    for (int commit = 1; commit <= result.story.last(); ++commit) {
        INFO(commit);
        CHECK((commit == 3 || result.story.commit(commit).builds_failed == 0));
    }
    CHECK(result.story.handling_seconds() > 0);
    CHECK(result.story.seconds() > result.story.handling_seconds());
    CHECK(repository.ask("worktree list --porcelain").find("state") == std::string::npos);
}

TEST_CASE(
    "Only the outputs of a build are kept, and equal ones are equal products", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(8, 3));
    auto request = request_on(repository, folder / "state", 8);
    request.order.outputs = {"out"};
    Scene scene;
    const auto result = bisect(request, scene.world);
    CHECK(culprit_of(result) == 3);
    const auto tree = result.folder / "products" / repository.ask("rev-parse HEAD") / "tree";
    CHECK(std::filesystem::exists(tree / "out" / "value"));
    CHECK_FALSE(std::filesystem::exists(tree / "build.sh"));
    // Every commit below the culprit has the good end's product, and every other the bad end's:
    // none of them is run but the pair that is verified.
    CHECK(result.story.commit(0).product == result.story.commit(2).product);
    for (const int commit : {1, 4, 5, 6, 7}) CHECK(result.story.commit(commit).values.empty());
}
