#include "service/watch/night/night_commits.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

history::Range range_of(int commits) {
    history::Range range;
    range.base = Revision(std::string(40, 'a'));
    for (int i = 0; i < commits; ++i) {
        history::Commit commit;
        commit.revision = Revision(std::string(40, 'b'));
        commit.subject = "subject " + std::to_string(i);
        commit.author = "Author Two";
        commit.authored_at_s = i;
        range.suspects.push_back(commit);
    }
    return range;
}

}  // namespace

TEST_CASE("Of a night's commits the newest are kept, and all are counted", "[service][watch]") {
    const auto few = kept_of(range_of(3));
    CHECK(few.count == 3);
    CHECK(few.none.empty());
    REQUIRE(few.commits.size() == 3);
    CHECK(few.commits[0].subject == "subject 0");
    const auto many = kept_of(range_of(most_night_commits + 7));
    CHECK(many.count == most_night_commits + 7);
    REQUIRE(many.commits.size() == most_night_commits);
    CHECK(many.commits[0].subject == "subject 7");
    CHECK(kept_of(range_of(0)).none.empty());
}

TEST_CASE("A rewritten branch has no commits since the night before", "[service][watch]") {
    auto range = range_of(3);
    range.relation = history::Relation::forked;
    const auto kept = kept_of(range);
    CHECK(kept.commits.empty());
    CHECK_THAT(kept.none, Contains("rewritten") && Contains("aaaaaaaaaa"));
    range.relation = history::Relation::merged_in;
    CHECK(kept_of(range).commits.size() == 3);
}

TEST_CASE("A stranger's subject takes no more room than a subject", "[service][watch]") {
    auto range = range_of(1);
    range.suspects[0].subject = range.suspects[0].author = std::string(1 << 20, 'x');
    const auto kept = kept_of(range);
    CHECK(kept.commits[0].subject.size() <= 400);
    CHECK(kept.commits[0].author.size() <= 200);
}
