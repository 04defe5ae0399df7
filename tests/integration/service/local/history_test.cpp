#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "service/local/answer.hpp"
#include "service/local/bisect.hpp"
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

/// `sh build.sh` adds the numbers of the files a, b and c, and 150 where a and b are both above 0.
class BranchedRepository : public SmallRepository {
  public:
    explicit BranchedRepository(const std::filesystem::path& folder) : SmallRepository(folder, {}) {
        write(
            "build.sh",
            "mkdir -p out; test -e broken && exit 3\n"
            "a=$(cat a) b=$(cat b) c=$(cat c); v=$((1000 + c))\n"
            "test $a -gt 0 -a $b -gt 0 && v=$((v + 150)); echo $v > out/value\n");
        write("a", "0\n");
        write("b", "0\n");
        write("c", "0\n");
        commit("start");
    }
    void change(const std::string& file, const std::string& text, const std::string& what) const {
        write(file, text + "\n");
        commit(what);
    }
    void branch(const std::string& name) const { git("checkout -q -b " + name); }
    void back() const { git("checkout -q main"); }
    void merge(const std::string& names) const {
        git("merge -q --no-ff -m 'merge of " + names + "' " + names + " >/dev/null");
    }
};

LocalRequest request_from(
    const SmallRepository& repository,
    const std::filesystem::path& state,
    const std::string& good,
    const std::string& bad = "main") {
    LocalRequest request = request_on(repository, state, 1);
    request.good = good;
    request.bad = bad;
    return request;
}

std::string subject_of_culprit(const Story& story, const search::Decision& decision) {
    if (!decision.done || decision.endings[0].ending != search::Ending::culprit) return "none";
    return story.suspect(decision.endings[0].first).subject;
}

/// A slow commit on a side that is merged later, another merge within that side.
void grow_nested(const BranchedRepository& repository) {
    repository.git("tag good");
    repository.change("note", "1", "main 1");
    repository.branch("side");
    repository.change("other", "1", "side 1");
    repository.branch("deep");
    repository.change("deep", "1", "deep 1");
    repository.change("c", "200", "deep 2 is slow");
    repository.change("deep", "3", "deep 3");
    repository.git("checkout -q side");
    repository.change("other", "2", "side 2");
    repository.merge("deep");
    repository.change("other", "3", "side 3");
    repository.back();
    repository.change("note", "2", "main 2");
    repository.merge("side");
    repository.change("note", "3", "main 3");
}

}  // namespace

TEST_CASE("A culprit that is a merge is searched inside, as deep as it goes", "[service][local]") {
    const ScratchFolder folder;
    const BranchedRepository repository(folder / "repo");
    grow_nested(repository);
    const auto request = request_from(repository, folder / "state", "good");
    Scene scene;
    const auto result = bisect(request, scene.world);
    CHECK_FALSE(result.stopped);
    CHECK(subject_of_culprit(result.story, result.decision) == "merge of side");
    REQUIRE(result.inside.size() == 2);
    CHECK(subject_of_culprit(result.inside[0].story, result.inside[0].decision) == "merge of deep");
    CHECK(
        subject_of_culprit(result.inside[1].story, result.inside[1].decision) == "deep 2 is slow");
    CHECK(repository.ask("worktree list | wc -l") == "1");

    const auto text = answer_text(result);
    CHECK_THAT(text, Contains("inside of the merge") && Contains("deep 2 is slow"));
    const auto json = answer_json(result);
    CHECK(json.at("inside").size() == 2);
    CHECK(json.at("culprit") == repository.ask("rev-parse deep~1"));
    for (const auto& report : {markdown_report(result), html_report(result)}) {
        CHECK_THAT(report, Contains(repository.ask("rev-parse deep~1")));
        CHECK_THAT(report, Contains("Inside of the merge"));
    }
    const auto entries = read_log(result.log);
    const auto again = replay(entries);
    CHECK(again.difference.empty());
    CHECK(again.inside.size() == 2);
    CHECK_THAT(explain(entries, 40), Contains("inside of a merge") && Contains("deep 2 is slow"));
    Scene told;
    const auto log = vigil::test::content_of(result.log);
    CHECK(bisect(request, told.world).inside.size() == 2);
    CHECK(vigil::test::content_of(result.log) == log);
}

TEST_CASE("A merged library with a history of its own is no advice to search it", "[service]") {
    const ScratchFolder folder;
    const BranchedRepository repository(folder / "repo");
    repository.change("note", "1", "main 1");
    repository.git("checkout -q --orphan library");
    repository.git("rm -rqf .");
    repository.change("extra", "1", "library 1");
    repository.change("c", "100", "library 2");
    repository.back();
    repository.git(
        "merge -q --allow-unrelated-histories --no-ff -X theirs -m 'take it in' library");
    repository.change("note", "2", "main 2");
    const auto request = request_from(repository, folder / "state", "main~2");
    Scene scene;
    const auto result = bisect(request, scene.world);
    CHECK(subject_of_culprit(result.story, result.decision) == "take it in");
    const auto text = answer_text(result);
    CHECK_THAT(text, Contains("cannot be searched") && Contains("no common history"));
    CHECK_THAT(text, !Contains("^2") && !Contains("search what it brought with"));
    CHECK(replay(read_log(result.log)).difference.empty());
    const auto again = replay(read_log(result.log));
    CHECK_THAT(answer_text({{again.story, again.decision}}), Contains("no common history"));
}

TEST_CASE("A search inside of a merge is stopped and goes on like any other", "[service][local]") {
    const ScratchFolder folder;
    const BranchedRepository repository(folder / "repo");
    grow_nested(repository);
    Scene whole;
    const auto straight = bisect(request_from(repository, folder / "whole", "good"), whole.world);
    const auto request = request_from(repository, folder / "state", "good");
    int stops = 0;
    int stops_inside = 0;
    BisectResult result;
    for (; stops < 80; ++stops) {
        Scene scene;
        scene.lines.stop_after(4 + stops % 4);
        result = bisect(request, scene.world);
        if (!result.stopped) break;
        stops_inside += result.inside.empty() ? 0 : 1;
        // A report of any moment can be made.
        CHECK_FALSE(html_report(result).empty());
    }
    CHECK(stops_inside > 2);
    REQUIRE(result.inside.size() == 2);
    CHECK(
        subject_of_culprit(result.inside[1].story, result.inside[1].decision) == "deep 2 is slow");
    CHECK(result.story.runs() == straight.story.runs());
    CHECK(result.inside[0].story.runs() == straight.inside[0].story.runs());
    CHECK(result.inside[1].story.runs() == straight.inside[1].story.runs());
    CHECK(replay(read_log(result.log)).difference.empty());
}

TEST_CASE("What only both sides of a merge show together is told so", "[service][local]") {
    const ScratchFolder folder;
    const BranchedRepository repository(folder / "repo");
    repository.git("tag good");
    repository.branch("side");
    repository.change("b", "1", "half of it");
    repository.back();
    repository.change("a", "1", "the other half");
    repository.merge("side");
    Scene scene;
    const auto result = bisect(request_from(repository, folder / "state", "good"), scene.world);
    CHECK(subject_of_culprit(result.story, result.decision) == "merge of side");
    REQUIRE(result.inside.size() == 1);
    REQUIRE(result.inside[0].decision.done);
    CHECK(result.inside[0].decision.endings[0].ending == search::Ending::not_reproduced);
    CHECK_THAT(answer_text(result), Contains("both sides together"));
}

TEST_CASE("What does not build on the way into a merge hides no culprit", "[service][local]") {
    const ScratchFolder folder;
    const BranchedRepository repository(folder / "repo");
    repository.git("tag good");
    repository.branch("side");
    repository.change("other", "1", "side 1");
    repository.change("c", "200", "side 2 is slow");
    repository.change("other", "3", "side 3");
    const bool tip = GENERATE(true, false);
    CAPTURE(tip);
    if (tip) repository.change("broken", "1", "side 4 does not build");
    repository.back();
    repository.change(tip ? "note" : "broken", "1", "main 1");
    repository.git("merge -q --no-ff --no-commit side >/dev/null");
    repository.git("rm -q -f broken");
    repository.commit("merge of side");
    Scene scene;
    const auto result = bisect(request_from(repository, folder / "state", "good"), scene.world);
    REQUIRE(result.inside.size() == 1);
    CHECK(
        subject_of_culprit(result.inside[0].story, result.inside[0].decision) == "side 2 is slow");
    CHECK(
        result.decision.endings[0].ending ==
        (tip ? search::Ending::culprit : search::Ending::range));
    const auto text = answer_text(result);
    CHECK_THAT(text, Contains("side 2 is slow"));
    const auto json = answer_json(result);
    CHECK(json.at("culprit") == repository.ask("rev-parse side~" + std::string(tip ? "2" : "1")));
    CHECK_THAT(markdown_report(result), Contains("side 2 is slow"));
    CHECK(replay(read_log(result.log)).difference.empty());
}

TEST_CASE("A merge of several branches is searched branch by branch", "[service][local]") {
    const ScratchFolder folder;
    const BranchedRepository repository(folder / "repo");
    repository.git("tag good");
    repository.branch("one");
    repository.change("x", "1", "harmless");
    repository.back();
    repository.branch("two");
    repository.change("y", "1", "harmless too");
    repository.change("c", "180", "slow");
    repository.back();
    repository.change("note", "1", "main 1");
    repository.merge("one two");
    Scene scene;
    const auto result = bisect(request_from(repository, folder / "state", "good"), scene.world);
    REQUIRE(result.inside.size() == 2);
    CHECK(result.inside[0].decision.endings[0].ending == search::Ending::not_reproduced);
    CHECK(result.inside[1].story.start().inside->parent == 3);
    CHECK(subject_of_culprit(result.inside[1].story, result.inside[1].decision) == "slow");
}

TEST_CASE(
    "A merge whose commits cannot be built stays the answer, and says why", "[service][local]") {
    const ScratchFolder folder;
    const BranchedRepository repository(folder / "repo");
    repository.change("broken", "yes", "breaks");
    repository.branch("side");
    repository.change("c", "200", "slow");
    repository.back();
    repository.git("rm -q broken");
    repository.commit("mends");
    repository.git("tag good");
    repository.merge("side");
    const auto request = request_from(repository, folder / "state", "good");
    for (int time = 0; time < 2; ++time) {
        Scene scene;
        const auto result = bisect(request, scene.world);
        CHECK_FALSE(result.stopped);
        CHECK(subject_of_culprit(result.story, result.decision) == "merge of side");
        REQUIRE(result.inside.size() == 1);
        CHECK_FALSE(result.inside[0].decision.done);
        CHECK_THAT(answer_text(result), Contains("not found: the build fails at the good commit"));
        CHECK(repository.ask("worktree list | wc -l") == "1");
    }
}

TEST_CASE("A culprit that only moves a dependency is told as such", "[service][local]") {
    const ScratchFolder folder;
    const BranchedRepository repository(folder / "repo");
    const std::string fast(40, 'a'), slow(40, 'b');
    repository.write(
        "build.sh",
        "mkdir -p out; grep -q bbb deps.txt && echo 1200 > out/value || echo 1000 > out/value\n");
    repository.change("deps.txt", "library " + fast, "start");
    repository.git("tag good");
    repository.change("note", "1", "harmless");
    repository.change("deps.txt", "library " + slow, "update of the library");
    repository.change("note", "2", "harmless too");
    Scene scene;
    const auto result = bisect(request_from(repository, folder / "state", "good"), scene.world);
    CHECK(subject_of_culprit(result.story, result.decision) == "update of the library");
    const auto* moves = result.story.moves(2);
    REQUIRE(moves != nullptr);
    CHECK(moves->only);
    CHECK(moves->pins == std::vector<history::Pin>{{"deps.txt", 1, fast, slow}});
    const auto json = answer_json(result);
    CHECK(json.at("moves").at("pins").at(0).at("after") == slow);
    for (const auto& text :
         {answer_text({{result.story, result.decision}}),
          markdown_report({{result.story, result.decision}}),
          html_report({{result.story, result.decision}})}) {
        CHECK_THAT(text, Contains("only dependencies") && Contains(fast) && Contains(slow));
    }
    CHECK(replay(read_log(result.log)).story.moves(2)->pins == moves->pins);
}

TEST_CASE("A good end beside the line is searched from where the lines part", "[service][local]") {
    const ScratchFolder folder;
    const BranchedRepository repository(folder / "repo");
    repository.change("note", "1", "main 1");
    repository.branch("release");
    repository.change("other", "1", "only on the release");
    repository.back();
    repository.change("note", "2", "main 2");
    repository.change("c", "200", "slow");
    repository.change("note", "3", "main 3");
    Scene scene;
    const auto result = bisect(request_from(repository, folder / "state", "release"), scene.world);
    CHECK(subject_of_culprit(result.story, result.decision) == "slow");
    CHECK(result.story.last() == 3);
    CHECK(result.story.revision(0).str() == repository.ask("rev-parse release~1"));
    CHECK_THAT(scene.lines.text(), Contains("is no ancestor") && Contains("two lines part"));
    const auto json = answer_json({{result.story, result.decision}});
    CHECK(json.at("base") == repository.ask("rev-parse release~1"));
    CHECK(replay(read_log(result.log)).difference.empty());
    CHECK_THAT(html_report({{result.story, result.decision}}), Contains("Begins at"));
}

TEST_CASE("An object that is missing is reported with what to do", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(6, 3));
    const auto gone = repository.ask("rev-parse HEAD~3:note");
    std::filesystem::remove(
        repository.folder() / ".git" / "objects" / gone.substr(0, 2) / gone.substr(2));
    const auto request = request_on(repository, folder / "state", 6);
    Scene scene;
    try {
        bisect(request, scene.world);
        FAIL("nothing was refused");
    } catch (const Error& error) {
        CHECK(error.code() == Errc::unavailable);
        CHECK_THAT(error.what(), Contains("git fsck") && Contains("the same command goes on"));
    }
    CHECK(repository.ask("worktree list | wc -l") == "1");
    repository.write("again", "change 3\n");
    CHECK(repository.ask("hash-object -w again") == gone);
    Scene after;
    const auto result = bisect(request, after.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings[0].first == 3);
}
