#include "bisect/history/list_claims.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/integration/bisect/history/temp_repository.hpp"

using namespace vigil;
using namespace vigil::history;
using vigil::history::test::TempRepository;

namespace {

std::vector<std::string> subjects(const ClaimedRange& range) {
    std::vector<std::string> found;
    for (const auto& commit : range.commits) found.push_back(commit.subject);
    return found;
}

}  // namespace

TEST_CASE("The texts of a range are read to the end, oldest first", "[bisect][history]") {
    TempRepository r;
    const auto culprit = r.commit("culprit");
    const auto bad = r.commit("bad");
    r.commit("docs\n\nFixes lab/tensors#12");
    const auto fixed = r.commit("Back\n\nLong words.\n\nThis reverts commit " + culprit.str());
    const auto range = list_claims(r.path(), bad, fixed);
    CHECK(subjects(range) == std::vector<std::string>{"docs", "Back"});
    CHECK(range.line_commits == 2);
    CHECK(range.unread_commits == 0);
    CHECK_FALSE(range.rewritten);
    CHECK(range.commits[0].claims.fixes == std::vector<IssueName>{{"lab/tensors", 12}});
    CHECK(range.commits[1].claims.reverts == std::vector{culprit.str()});
    CHECK(range.commits[1].author == "Author One");
    CHECK(list_claims(r.path(), bad, bad).commits.empty());
    CHECK_THROWS_AS(list_claims(r.path(), bad, Revision(std::string(40, 'e'))), Error);
}

TEST_CASE("What merges brought stands before them, with the merge of the line", "[bisect]") {
    TempRepository r;
    r.commit("culprit");
    r.git("checkout -q -b side");
    r.commit("older than the bad end");
    r.git("checkout -q main");
    const auto bad = r.commit("bad");
    r.git("checkout -q side");
    r.git("checkout -q -b inner");
    r.commit("inner");
    r.git("checkout -q side");
    r.commit("outer");
    r.git("merge -q --no-ff -m 'inner merge' inner");
    r.git("checkout -q main");
    r.commit("on the line");
    r.git("merge -q --no-ff -m 'outer merge' side");
    const auto merge = r.head();
    const auto fixed = r.commit("last");
    const auto range = list_claims(r.path(), bad, fixed);
    const auto found = subjects(range);
    REQUIRE(found.size() == 7);
    CHECK(found.front() == "on the line");
    CHECK(found[4] == "inner merge");
    CHECK(found[5] == "outer merge");
    CHECK(found.back() == "last");
    CHECK(range.line_commits == 3);
    for (std::size_t i = 1; i <= 4; ++i) CHECK(range.commits[i].merge == merge);
    CHECK(range.commits[0].merge.empty());
    CHECK(range.commits[5].merge.empty());
}

TEST_CASE("A line that was rewritten is told", "[bisect][history]") {
    TempRepository r;
    const auto base = r.commit("base");
    const auto bad = r.commit("dropped");
    r.git("reset -q --hard " + base.str());
    const auto fixed = r.commit("other");
    const auto range = list_claims(r.path(), bad, fixed);
    CHECK(range.rewritten);
    CHECK(subjects(range) == std::vector<std::string>{"other"});
}

TEST_CASE("Of very many commits the newest are read, and the others counted", "[bisect]") {
    TempRepository r;
    const auto bad = r.commit("bad");
    for (int i = 0; i < 5; ++i) r.commit("commit " + std::to_string(i));
    const auto range = list_claims(r.path(), bad, r.head(), 2);
    CHECK(subjects(range) == std::vector<std::string>{"commit 3", "commit 4"});
    CHECK(range.line_commits == 5);
    CHECK(range.unread_commits == 3);
}
