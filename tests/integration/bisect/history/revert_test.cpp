#include "bisect/history/revert.hpp"

#include <catch2/catch.hpp>

#include "bisect/history/history.hpp"
#include "schema/model/error.hpp"
#include "tests/integration/bisect/history/temp_repository.hpp"

using namespace vigil;
using namespace vigil::history;
using vigil::history::test::TempRepository;

namespace {

struct Files : TempRepository {
    Files() {
        write("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        write("b", "one\n");
        start = commit("start");
    }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder() / name) << text;
        git("add " + name);
    }
    std::string text(const Revision& revision, const std::string& name) const {
        return git("show " + revision.str() + ":" + name);
    }
    Revision start;
};

}  // namespace

TEST_CASE("A commit is taken back from a later one, and the rest stays", "[bisect][history]") {
    const Files r;
    r.write("b", "two\n");
    r.write("c", "new\n");
    const auto culprit = r.commit("culprit");
    r.write("a", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    const auto head = r.commit("head", 1'700'000'100);
    const auto tried = write_revert(r.path(), culprit, head);
    CHECK(tried.fit == RevertFit::applies);
    CHECK(tried.head == head);
    CHECK(tried.parent == r.start);
    CHECK(r.text(tried.made, "b") == "one");
    CHECK(r.text(tried.made, "a") == r.text(head, "a"));
    CHECK(r.git("ls-tree --name-only " + tried.made.str()) == "a\nb");
    CHECK(list_parents(r.path(), tried.made) == std::vector{head});
    CHECK(r.head() == head);  // no branch moved
    r.git("gc -q --prune=now");
    CHECK(write_revert(r.path(), culprit, head).made == tried.made);
    CHECK(r.text(tried.made, "b") == "one");
    // The newest commit of all, and one whose file has another name by now.
    CHECK(r.text(write_revert(r.path(), head, head).made, "a") == r.text(r.start, "a"));
    r.git("mv b moved");
    const auto renamed = r.commit("renamed");
    CHECK(r.text(write_revert(r.path(), culprit, renamed).made, "moved") == "one");
}

TEST_CASE("What was changed since conflicts, and the files are named", "[bisect][history]") {
    const Files r;
    r.write("b", "two\n");
    for (int i = 0; i < 12; ++i) r.write("f" + std::to_string(i), "1\n");
    const auto culprit = r.commit("culprit");
    r.write("b", "three\n");
    const auto one = write_revert(r.path(), culprit, r.commit("again"));
    CHECK(one.fit == RevertFit::conflicts);
    CHECK(one.conflicts == std::vector<std::string>{"b"});
    CHECK(one.conflicting == 1);
    CHECK(one.made.empty());
    for (int i = 0; i < 12; ++i) r.write("f" + std::to_string(i), "2\n");
    const auto many = write_revert(r.path(), culprit, r.commit("more"));
    CHECK(many.conflicting == 13);
    CHECK(many.conflicts.size() == most_conflicts);
}

TEST_CASE("What was taken back leaves nothing to revert", "[bisect][history]") {
    const Files r;
    r.write("b", "two\n");
    const auto culprit = r.commit("culprit");
    r.write("b", "one\n");
    const auto tried = write_revert(r.path(), culprit, r.commit("taken back"));
    CHECK(tried.fit == RevertFit::empty);
    CHECK(tried.made.empty());
    CHECK(tried.parent == r.start);
}

TEST_CASE("A merge is reverted against its first parent, as git revert -m 1", "[bisect][history]") {
    const Files r;
    r.git("checkout -q -b side");
    r.write("b", "of the side\n");
    r.commit("side");
    r.git("checkout -q main");
    r.write("a", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
    const auto line = r.commit("line");
    r.git("merge -q --no-ff side -m merge");
    const auto merge = r.head();
    const auto tried = write_revert(r.path(), merge, merge);
    CHECK(tried.fit == RevertFit::applies);
    CHECK(tried.parent == line);
    CHECK(r.text(tried.made, "b") == "one");
    CHECK(r.text(tried.made, "a") == r.text(line, "a"));
}

TEST_CASE("A moved submodule is moved back, unless it was moved again", "[bisect][history]") {
    const Files r;
    const auto link = [&](char digit) {
        r.git("update-index --add --cacheinfo 160000," + std::string(40, digit) + ",lib");
    };
    link('1');
    r.commit("with it");
    link('2');
    const auto moved = r.commit("moved");
    const auto tried = write_revert(r.path(), moved, moved);
    REQUIRE(tried.fit == RevertFit::applies);
    CHECK_THAT(
        r.git("ls-tree " + tried.made.str() + " lib"), Catch::Contains(std::string(40, '1')));
    link('3');
    CHECK(write_revert(r.path(), moved, r.commit("again")).fit == RevertFit::conflicts);
}

TEST_CASE("What cannot be taken back is said", "[bisect][history]") {
    const Files r;
    CHECK(write_revert(r.path(), r.start, r.start).fit == RevertFit::no_parent);
    const auto next = r.commit("next");
    r.git("checkout -q -b side " + r.start.str());
    r.write("b", "of the side\n");
    const auto side = r.commit("side");
    CHECK(write_revert(r.path(), side, next).fit == RevertFit::not_held);
    CHECK_THROWS_AS(write_revert(r.path(), Revision(std::string(40, '1')), next), Error);
}
