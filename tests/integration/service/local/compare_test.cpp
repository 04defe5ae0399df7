#include "service/local/compare.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "tests/integration/service/local/small_repository.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;
using vigil::test::ScratchFolder;

TEST_CASE("Two commits are measured interleaved until it is sure", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    const auto request = request_on(repository, folder / "state", 3);
    Scene scene;
    const auto result = compare(request, scene.world);
    CHECK(result.judgement.decided);
    CHECK(result.judgement.verdict == Verdict::regression);
    CHECK(result.judgement.comparison.change_ratio == Approx(0.15).margin(0.001));
    REQUIRE(result.runs.size() >= 4);
    CHECK(result.runs[0].side == detect::Side::a);
    CHECK(result.runs[1].side == detect::Side::b);
    CHECK(result.runs[2].side == detect::Side::b);
    CHECK(result.runs[3].side == detect::Side::a);
    CHECK_THAT(compare_text(result), Contains("worse") && Contains("+15.0 %"));
    const auto json = compare_json(result);
    CHECK(json.at("verdict") == "worse");
    CHECK(json.at("runs") == result.runs.size());
    CHECK(json.at("values").size() == result.runs.size());
    CHECK(json.at("builds") == 2);
    CHECK(repository.ask("worktree list | wc -l") == "1");
}

TEST_CASE("What was built once is not built again", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    auto request = request_on(repository, folder / "state", 3);
    const auto count = (folder / "count").string();
    request.order.build = "echo built >> " + count + "; sh build.sh";
    for (int i = 0; i < 2; ++i) {
        Scene scene;
        CHECK(compare(request, scene.world).judgement.verdict == Verdict::regression);
    }
    CHECK(vigil::test::content_of(count) == "built\nbuilt\n");
}

TEST_CASE(
    "An improvement is none that is worse, and equal bytes are not measured", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(4, 2));
    auto request = request_on(repository, folder / "state", 4);
    std::swap(request.good, request.bad);
    Scene better;
    CHECK(compare(request, better.world).judgement.verdict == Verdict::improvement);
    request.good = "HEAD~1";
    request.bad = "HEAD";
    request.order.outputs = {"out"};
    Scene same;
    const auto result = compare(request, same.world);
    CHECK(result.same_product);
    CHECK(result.judgement.verdict == Verdict::noise);
    CHECK(result.runs.empty());
}

TEST_CASE(
    "Builds and runs see the same path, the user's environment, and no orders to git",
    "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(2, 1));
    auto request = request_on(repository, folder / "state", 2);
    const auto seen = (folder / "seen").string();
    const std::string note = "echo $PWD ${GIT_DIR-none} $COLOUR >> " + seen + "; ";
    request.order.build = note + "sh build.sh";
    request.order.bench = note + "cat out/value";
    Scene scene;
    scene.world.environment["COLOUR"] = "green";
    CHECK(compare(request, scene.world).judgement.decided);
    std::istringstream lines(vigil::test::content_of(seen));
    std::set<std::string> different;
    for (std::string line; std::getline(lines, line);) different.insert(line);
    REQUIRE(different.size() == 1);
    CHECK_THAT(*different.begin(), Catch::EndsWith("/work/0/tree none green"));
}

TEST_CASE("A stopped comparison ends its children and keeps what was built", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(2, 1));
    const auto request = request_on(repository, folder / "state", 2);
    Scene scene;
    scene.lines.stop_after(3);  // two builds, one block
    const auto result = compare(request, scene.world);
    CHECK(result.stopped);
    CHECK(repository.ask("worktree list | wc -l") == "1");
    Scene again;
    again.lines.stop_after(1);
    CHECK(compare(request, again.world).stopped);
    CHECK_THAT(again.lines.text(), !Contains("building"));
}
