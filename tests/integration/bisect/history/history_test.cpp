#include "bisect/history/history.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/integration/bisect/history/temp_repository.hpp"

using namespace vigil;
using namespace vigil::history;
using vigil::history::test::TempRepository;

namespace {

std::vector<std::string> subjects(const std::vector<Commit>& commits) {
    std::vector<std::string> found;
    for (const Commit& c : commits) found.push_back(c.subject);
    return found;
}

std::vector<Commit> list_suspects(
    const std::string& path, const Revision& good, const Revision& bad, int limit = 100'000) {
    const auto range = list_range(path, good, bad, limit);
    CHECK(range.relation == Relation::on_line);
    CHECK(range.base == good);
    return range.suspects;
}

Error refusal(const TempRepository& r, const Revision& good, const Revision& bad, int limit = 100) {
    try {
        list_range(r.path(), good, bad, limit);
    } catch (const Error& error) {
        return error;
    }
    FAIL("nothing was refused");
    return {Errc::internal, ""};
}

}  // namespace

TEST_CASE(
    "Suspects come oldest first, without the good end and with the bad", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    const auto first = r.commit("first");
    const auto bad = r.commit("second");
    const auto suspects = list_suspects(r.path(), good, bad);
    CHECK(subjects(suspects) == std::vector<std::string>{"first", "second"});
    CHECK(suspects[0].parent == good);
    CHECK(suspects[1].parent == first);
    CHECK(suspects[1].revision == bad);
    CHECK(suspects[0].author == "Author One");
    CHECK(suspects[0].email == "one@example.org");
    CHECK(suspects[0].authored_at_s == 1'700'000'000);
    CHECK(list_suspects(r.path(), bad, bad).empty());
}

TEST_CASE("Equal and decreasing time stamps do not change the order", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good", 1'700'000'000);
    r.commit("a", 1'700'000'000);
    r.commit("b", 1'700'000'000);
    r.commit("c", 1'600'000'000);
    const auto bad = r.commit("d", 1'500'000'000);
    CHECK(
        subjects(list_suspects(r.path(), good, bad)) ==
        std::vector<std::string>{"a", "b", "c", "d"});
}

TEST_CASE("A merge is one suspect, flagged, and hides its side branch", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    r.git("checkout -q -b side");
    r.commit("on the side");
    r.git("checkout -q main");
    r.commit("on main");
    r.git("merge -q --no-ff -m 'merge side' side");
    const auto bad = r.commit("after");
    const auto suspects = list_suspects(r.path(), good, bad);
    REQUIRE(subjects(suspects) == std::vector<std::string>{"on main", "merge side", "after"});
    CHECK(suspects[1].merge);
    CHECK_FALSE(suspects[0].merge);
    CHECK(suspects[0].brought.empty());
    const auto parents = list_parents(r.path(), suspects[1].revision);
    CHECK(suspects[1].brought == std::vector<Revision>{parents.at(1)});
}

TEST_CASE(
    "A good end beside the line is replaced by the commit where the lines part",
    "[bisect][history]") {
    TempRepository r;
    const auto root = r.commit("root");
    r.git("checkout -q -b side");
    r.commit("side 1");
    const auto side = r.commit("side 2");
    r.git("checkout -q main");
    const auto before = r.commit("main 1");
    r.git("merge -q --no-ff -m 'merge side' side");
    const auto merge = r.head();
    const auto bad = r.commit("main 2");

    const auto on_line = list_range(r.path(), before, bad);
    CHECK(on_line.relation == Relation::on_line);
    CHECK(on_line.base == before);
    CHECK(subjects(on_line.suspects) == std::vector<std::string>{"merge side", "main 2"});

    const auto merged = list_range(r.path(), side, bad);
    CHECK(merged.relation == Relation::merged_in);
    CHECK(merged.base == root);
    CHECK(subjects(merged.suspects) == std::vector<std::string>{"main 1", "merge side", "main 2"});

    const auto brought = list_range(r.path(), before, side);
    CHECK(brought.relation == Relation::forked);
    CHECK(brought.base == root);
    CHECK(subjects(brought.suspects) == std::vector<std::string>{"side 1", "side 2"});

    CHECK(list_parents(r.path(), merge) == std::vector<Revision>{before, side});
    CHECK(list_parents(r.path(), root).empty());
    CHECK_THROWS_AS(list_range(r.path(), bad, before), Error);
    r.git("checkout -q --orphan island");
    const auto island = r.commit("island");
    CHECK_THROWS_WITH(list_range(r.path(), island, bad), Catch::Contains("no common history"));
}

TEST_CASE("A line that took the other one in parts from it after that", "[bisect][history]") {
    TempRepository r;
    r.commit("root");
    r.git("checkout -q -b side");
    r.commit("side 1");
    r.git("checkout -q main");
    const auto main_one = r.commit("main 1");
    r.git("checkout -q side");
    r.git("merge -q --no-ff -m 'main into side' main");
    const auto bad = r.commit("side 2");
    const auto range = list_range(r.path(), main_one, bad);
    CHECK(range.relation == Relation::merged_in);
    CHECK(
        subjects(range.suspects) == std::vector<std::string>{"side 1", "main into side", "side 2"});
}

TEST_CASE("A missing revision or object is named", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    const auto gone = r.commit("gone");
    const auto bad = r.commit("bad");
    const Revision unknown(std::string(40, 'a'));
    auto error = refusal(r, unknown, bad);
    CHECK(error.code() == Errc::not_found);
    CHECK(std::string(error.what()).find(unknown.str()) != std::string::npos);

    const auto& hash = gone.str();
    std::filesystem::remove(r.folder() / ".git" / "objects" / hash.substr(0, 2) / hash.substr(2));
    error = refusal(r, good, bad);
    CHECK(error.code() == Errc::not_found);
    CHECK(std::string(error.what()).find(hash) != std::string::npos);

    CHECK_THROWS_AS(list_suspects(r.path() + "/nowhere", good, bad), Error);
    CHECK(refusal(r, Revision(std::string(64, 'a')), bad).code() == Errc::invalid_argument);
}

TEST_CASE("A merge says how many commits it brought", "[bisect][history]") {
    const auto counted = [](const TempRepository& r, const Revision& good, const Revision& bad) {
        std::vector<int> found;
        for (const auto& one : list_range(r.path(), good, bad).suspects) {
            found.push_back(one.commits);
        }
        return found;
    };
    TempRepository r;
    const auto good = r.commit("good");
    r.git("checkout -q -b side");
    r.commit("side 1");
    r.git("checkout -q -b further");
    r.commit("further 1");
    const auto further = r.commit("further 2");
    r.git("checkout -q side");
    r.commit("side 2");
    r.git("checkout -q main");
    const auto first = r.commit("on main");
    r.git("merge -q --no-ff -m 'merge side' side");
    r.git("merge -q --no-ff -m 'merge further' further");
    const auto bad = r.commit("after");
    CHECK(counted(r, good, bad) == std::vector<int>{1, 3, 3, 1});  // what both hold came with one
    CHECK(counted(r, first, bad) == std::vector<int>{3, 3, 1});
    CHECK(counted(r, further, bad) == std::vector<int>{1, 2, 1, 1});  // it holds some of them
    r.git("checkout -q -b plain " + first.str());
    CHECK(counted(r, good, r.commit("alone")) == std::vector<int>{1, 1});
}

TEST_CASE("More commits than the limit are refused", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    r.commit("1");
    const auto bad = r.commit("2");
    CHECK(list_suspects(r.path(), good, bad, 2).size() == 2);
    CHECK(refusal(r, good, bad, 1).code() == Errc::invalid_argument);
}

TEST_CASE("Text of strangers becomes one line of valid UTF-8", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    std::ofstream(r.folder() / "raw")
        << "tree " << r.git("rev-parse HEAD^{tree}") << "\nparent " << good.str()
        << "\nauthor Auth\xFFor <a@example.org> 1700000000 +0000"
        << "\ncommitter Author One <a@example.org> 1700000000 +0000"
        << "\n\ncaf\xE9 \xF0\x9F\x98\x80 tab\there\n\nbody\n";
    const Revision bad(r.git("hash-object -t commit -w raw"));
    const auto suspects = list_suspects(r.path(), good, bad);
    REQUIRE(suspects.size() == 1);
    CHECK(suspects[0].subject == "caf\xEF\xBF\xBD \xF0\x9F\x98\x80 tab here");
    CHECK(suspects[0].author == "Auth\xEF\xBF\xBDor");
}

TEST_CASE("A bare clone and a repository of another account can be read", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    const auto bad = r.commit("bad");
    const std::string bare = r.path() + "/bare.git";
    r.git("clone -q --bare . bare.git");
    if (::geteuid() == 0) r.git("version >/dev/null && chown -R 65534 bare.git");
    CHECK(list_suspects(bare, good, bad).size() == 1);
}

TEST_CASE("Ten thousand commits are listed, also those of one second", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    {
        std::ofstream stream(r.folder() / "stream");
        for (int i = 0; i < 10'000; ++i) {
            stream << "commit refs/heads/main\ncommitter Author One <one@example.org> "
                   << 1'700'000'000 + i / 3 << " +0000\ndata 4\nstep\n";
            if (i == 0) stream << "from refs/heads/main^0\n";
        }
    }
    r.git("fast-import --quiet < stream");
    const auto bad = r.head();
    const auto suspects = list_suspects(r.path(), good, bad);
    CHECK(suspects.size() == 10'000);
    CHECK(suspects.front().parent == good);
    CHECK(suspects.back().revision == bad);
}
