#include <cstdlib>

#include <catch2/catch.hpp>

#include "bisect/history/history.hpp"
#include "schema/model/error.hpp"
#include "tests/integration/bisect/history/temp_repository.hpp"

using namespace vigil;
using namespace vigil::history;
using vigil::history::test::TempRepository;

namespace {

constexpr long day_s = 86'400;
constexpr long noon_s = 19'675 * day_s + day_s / 2;

/// A commit that its committer made so many days after the first one.
Revision commit_on(const TempRepository& repository, const std::string& subject, double day) {
    const auto at_s = noon_s + static_cast<long>(day * day_s);
    ::setenv("GIT_COMMITTER_DATE", (std::to_string(at_s) + " +0000").c_str(), 1);
    auto made = repository.commit(subject, at_s);
    ::unsetenv("GIT_COMMITTER_DATE");
    return made;
}

std::vector<Revision> revisions_of(const std::vector<DayCommit>& days) {
    std::vector<Revision> revisions;
    for (const auto& day : days) revisions.push_back(day.revision);
    return revisions;
}

}  // namespace

TEST_CASE("Each day before the end has its last first-parent commit", "[bisect][history]") {
    const TempRepository r;
    const auto first = commit_on(r, "first", 0);
    commit_on(r, "morning", 1);
    const auto evening = commit_on(r, "evening", 1.4);
    r.git("checkout -q -b side");
    commit_on(r, "on a side branch", 1.45);
    r.git("checkout -q main");
    // Two days without a commit.
    const auto fourth = commit_on(r, "fourth", 4);
    commit_on(r, "tonight's", 5);
    const auto tip = commit_on(r, "tip", 5.1);

    const auto days = list_days(r.path(), tip, tip, 30);
    CHECK(revisions_of(days) == std::vector{first, evening, fourth});
    CHECK(days.back().committed_at_s == noon_s + 4 * day_s);
    CHECK(revisions_of(list_days(r.path(), tip, tip, 4)) == std::vector{evening, fourth});
    CHECK(revisions_of(list_days(r.path(), tip, tip, 1)) == std::vector{fourth});
    CHECK(revisions_of(list_days(r.path(), fourth, tip, 5)) == std::vector{first, evening});
    CHECK(list_days(r.path(), first, tip, 30).empty());
}

TEST_CASE("A commit that claims a later day than its child has none", "[bisect][history]") {
    const TempRepository r;
    const auto first = commit_on(r, "first", 0);
    commit_on(r, "its clock is ahead", 9);
    const auto second = commit_on(r, "second", 2);
    const auto tip = commit_on(r, "tip", 3);
    CHECK(revisions_of(list_days(r.path(), tip, tip, 30)) == std::vector{first, second});
}

TEST_CASE("A missing end is told by its hash", "[bisect][history]") {
    const TempRepository r;
    const auto tip = commit_on(r, "tip", 0);
    const Revision missing(std::string(40, 'f'));
    CHECK_THROWS_WITH(
        list_days(r.path(), missing, tip, 30), Catch::Contains("commit " + missing.str()));
}
