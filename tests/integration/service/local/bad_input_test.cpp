#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/local/bisect.hpp"
#include "service/local/compare.hpp"
#include "tests/integration/service/local/small_repository.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;
using vigil::test::ScratchFolder;

namespace {

std::string complaint(const LocalRequest& request) {
    Scene scene;
    try {
        bisect(request, scene.world);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::string complaint_of_bench(const LocalRequest& base, const std::string& bench) {
    LocalRequest request = base;
    request.order.bench = bench;
    return complaint(request);
}

}  // namespace

TEST_CASE("A range that makes no sense is refused with what to give instead", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(4, 2));
    auto request = request_on(repository, folder / "state", 4);
    request.bad = "HEAD~4";
    CHECK_THAT(complaint(request), Contains("the same commit"));
    request.good = "HEAD";
    CHECK_THAT(complaint(request), Contains("exchange them, and add --better"));
    request.bad = "no-such-branch";
    CHECK_THAT(complaint(request), Contains("there is no commit 'no-such-branch'"));
    request.bad = "--help";
    CHECK_THAT(complaint(request), Contains("there is no commit '--help'"));
    repository.git("checkout -q --orphan island");
    repository.commit("on an island");
    request.good = "island";
    request.bad = "main";
    CHECK_THAT(complaint(request), Contains("no common history"));
    request.repository = folder.path();
    CHECK_THAT(complaint(request), Contains("is in no git repository"));
    request.repository = folder / "missing";
    CHECK_THAT(complaint(request), Contains("there is no folder"));
}

TEST_CASE(
    "A build that fails at an end says what it said, and leaves no worktree", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(4, 2), {0, 1, 2, 3, 4});
    const auto request = request_on(repository, folder / "state", 4);
    CHECK_THAT(
        complaint(request),
        Contains("the build fails at the good commit") && Contains("no rule") && Contains(".log"));
    CHECK(repository.ask("worktree list | wc -l") == "1");
    Scene scene;
    CHECK_THROWS_WITH(compare(request, scene.world), Contains("the build fails at the good"));
}

TEST_CASE("Builds that fail everywhere between the ends leave the range", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(6, 3), {1, 2, 3, 4, 5});
    Scene scene;
    const auto result = bisect(request_on(repository, folder / "state", 6), scene.world);
    REQUIRE(result.decision.done);
    const auto& ending = result.decision.endings[0];
    CHECK(ending.ending == search::Ending::range);
    CHECK(ending.first == 1);
    CHECK(ending.last == 6);
    CHECK_THAT(ending.reason, Contains("cannot be built"));
}

TEST_CASE("A benchmark that fails everywhere between the ends leaves the range", "[service]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", {1000, 7, 7, 7, 1150});
    auto request = request_on(repository, folder / "state", 4);
    request.order.bench = "test $(cat out/value) -gt 7 && cat out/value";
    Scene scene;
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings[0].first == 1);
    CHECK(result.decision.endings[0].last == 4);
    CHECK(result.decision.endings[0].ending == search::Ending::range);
}

TEST_CASE("A benchmark that says nothing useful is quoted", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    const auto request = request_on(repository, folder / "state", 3);
    CHECK_THAT(complaint_of_bench(request, "true"), Contains("printed nothing"));
    CHECK_THAT(complaint_of_bench(request, "echo well done"), Contains("\"well done\""));
    CHECK_THAT(complaint_of_bench(request, "echo nan"), Contains("a value is nan"));
    CHECK_THAT(
        complaint_of_bench(request, "echo oh no >&2; exit 7"),
        Contains("exit code 7: oh no") &&
            Contains("at the good commit " + repository.ask("rev-parse HEAD~3").substr(0, 10)) &&
            Contains("at the bad commit " + repository.ask("rev-parse HEAD").substr(0, 10)));
    CHECK_THAT(
        complaint_of_bench(request, "test $(cat out/value) = 1000 && echo 5"),
        Contains("at the bad commit") && Contains("git bisect run"));
    CHECK_THAT(complaint_of_bench(request, "kill -SEGV $$"), Contains("signal 11"));
    CHECK(complaint_of_bench(request, "echo 5").empty());  // one value is a value
}

TEST_CASE("Commits named by SHA-256 are refused plainly", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    auto request = request_on(repository, folder / "state", 1);
    const auto other = (folder / "other").string();
    repository.git(
        "init -q --object-format=sha256 " + other + " && cd " + other +
        " && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two");
    request.repository = other;
    CHECK_THAT(complaint(request), Contains("by SHA-256") && Contains("SHA-1"));
    Scene scene;
    CHECK_THROWS_WITH(compare(request, scene.world), Contains("by SHA-256"));
}

TEST_CASE("Bare repositories are searched, shallow ones are explained", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(6, 3));
    const auto clone = [&](const std::string& options, const std::string& name) {
        repository.git(
            "clone -q " + options + " file://" + repository.folder().string() + " " +
            (folder / name).string());
    };
    clone("--bare", "bare.git");
    clone("--depth 3", "shallow");
    auto request = request_on(repository, folder / "state", 6);
    request.repository = folder / "bare.git";
    Scene scene;
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings[0].first == 3);
    request.repository = folder / "shallow";
    CHECK_THAT(complaint(request), Contains("git fetch --unshallow"));
}

TEST_CASE("A state folder that cannot be made, or is in use, is named", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    auto request = request_on(repository, "/proc/none", 3);
    CHECK_THAT(complaint(request), Contains("/proc/none") && Contains("--state"));
    request.state = folder / "state";
    Scene scene;
    const auto result = bisect(request, scene.world);
    const FolderLock other(result.folder);
    CHECK_THAT(complaint(request), Contains("another vigil works in"));
}

TEST_CASE("Hooks of the repository do not run", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    const auto hook = repository.folder() / ".git" / "hooks" / "post-checkout";
    std::filesystem::create_directories(hook.parent_path());
    std::ofstream(hook) << "#!/bin/sh\ntouch " << (folder / "ran").string() << "\n";
    std::filesystem::permissions(hook, std::filesystem::perms::all);
    Scene scene;
    const auto result = bisect(request_on(repository, folder / "state", 3), scene.world);
    CHECK(result.decision.done);
    CHECK_FALSE(std::filesystem::exists(folder / "ran"));
}
