#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_regression.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

// One series that several commits of one night made slower: each is an issue of its own.

using namespace vigil;
using tests::Change;
using tests::Fleet;
using tests::World;

namespace {

struct Found {
    std::int64_t id = 0;
    std::string culprit;
    std::string reason;
    double change = 0;  // verified, of its first series
    int series = 0;
};

std::vector<Found> open_ones(Fleet& fleet) {
    std::vector<Found> all;
    auto row = fleet.db().query(
        "SELECT r.id, COALESCE(r.culprit, ''), r.reason, "
        "COALESCE(json_extract(x.verified, '$.change_ratio'), 0), COUNT(*) FROM regression r "
        "JOIN regression_series x ON x.regression_id = r.id "
        "WHERE r.state <> 'closed' GROUP BY r.id ORDER BY r.culprit");
    while (row.next()) {
        all.push_back(
            {row.get<std::int64_t>(0),
             row.get<std::string>(1),
             row.get<std::string>(2),
             row.get<double>(3),
             row.get<int>(4)});
    }
    return all;
}

std::vector<std::string> culprits(Fleet& fleet) {
    std::vector<std::string> all;
    for (const auto& one : open_ones(fleet)) all.push_back(one.culprit);
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::string> revisions(Fleet& fleet, std::vector<int> commits) {
    std::vector<std::string> all;
    for (const int commit : commits) all.push_back(fleet.revision(commit));
    std::sort(all.begin(), all.end());
    return all;
}

bool has_words(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string report(Fleet& fleet, std::int64_t regression) {
    return service::render_regression(
               service::load_regression_facts(fleet.db(), RegressionId{regression}, fleet.config()))
        .body;
}

World world_of(unsigned seed, std::vector<Change> changes) {
    World world{.seed = seed, .commits = 40};
    world.changes = std::move(changes);
    return world;
}

Change slower(int commit, double time, std::string variant = "infer") {
    return {.commit = commit, .variant = std::move(variant), .time = time};
}

// 40 commits in one night: 23 merges six that left the line at 12.
World with_merge(unsigned seed, std::vector<Change> changes) {
    World world = world_of(seed, std::move(changes));
    world.branches = {{23, 12, {101, 102, 103, 104, 105, 106}}};
    return world;
}

}  // namespace

TEST_CASE("Two culprits of one series are two regressions, each verified alone", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u, 4u);
    const auto sizes = GENERATE(std::pair{1.1, 1.1}, std::pair{1.15, 1.075});
    CAPTURE(seed, sizes.first, sizes.second);
    World world = world_of(seed, {slower(11, sizes.first), slower(28, sizes.second)});
    world.noise = 0.005;
    Fleet fleet(world, ":memory:");
    fleet.night(0);
    fleet.night(40);
    const auto found = open_ones(fleet);
    REQUIRE(culprits(fleet) == revisions(fleet, {11, 28}));
    REQUIRE(found.size() == 2);
    for (const auto& one : found) {
        const bool first = one.culprit == fleet.revision(11);
        CHECK(one.series == 1);
        CHECK(one.change == Approx((first ? sizes.first : sizes.second) - 1).margin(0.02));
        const auto& other = found[&one == &found.front() ? 1 : 0];
        CHECK(has_words(
            one.reason,
            "other changes of its series in the same range: commit " + other.culprit.substr(0, 10) +
                " (regression " + std::to_string(other.id) + ")"));
        const auto text = report(fleet, one.id);
        CHECK(has_words(text, "### Other changes in the range"));
        CHECK(has_words(text, ": [regression ") == false);  // no address is configured
        CHECK(has_words(text, ": regression " + std::to_string(other.id)));
        CHECK(has_words(text, one.culprit.substr(0, 10)));
    }
    CHECK(fleet.count("suspicion", "verdict = 'regression'") == 1);
    CHECK(fleet.count("bisection") == 1);
}

TEST_CASE("Series that share one of two culprits share its regression", "[scenario]") {
    World world = world_of(5, {slower(11, 1.12), slower(28, 1.15), slower(28, 1.2, "train")});
    world.variants = {"infer", "train"};
    Fleet fleet(world, ":memory:");
    fleet.night(0);
    fleet.night(40);
    REQUIRE(culprits(fleet) == revisions(fleet, {11, 28}));
    for (const auto& one : open_ones(fleet)) {
        CHECK(one.series == (one.culprit == fleet.revision(28) ? 2 : 1));
    }
}

TEST_CASE("Of two culprits of one series, one may lie inside of a merge", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    const int other = GENERATE(5, 17, 30, 106);  // before, beside, after, and in the same merge
    CAPTURE(seed, other);
    const test::ScratchFolder folder;
    World world = with_merge(seed, {slower(103, 1.12), slower(other, 1.12)});
    Fleet fleet(world, folder / "ledger");
    std::mt19937 random(seed);
    if (seed == 3) {
        fleet.kill = [&] { return std::uniform_int_distribution<int>(0, 4)(random) == 0; };
    }
    fleet.night(0);
    fleet.night(40);
    REQUIRE(culprits(fleet) == revisions(fleet, {103, other}));
    for (const auto& one : open_ones(fleet)) {
        CHECK(one.change == Approx(0.12).margin(0.03));
        CHECK(has_words(report(fleet, one.id), "### Other changes in the range"));
    }
    CHECK(fleet.count("regression", "state = 'searching'") == 0);
}

TEST_CASE("A second culprit among commits that do not build is a range of its own", "[scenario]") {
    World world = world_of(6, {slower(11, 1.15), slower(29, 1.15)});
    world.broken = {28, 29, 30};
    Fleet fleet(world, ":memory:");
    fleet.night(0);
    fleet.night(40);
    REQUIRE(culprits(fleet) == std::vector<std::string>{"", fleet.revision(11)});
    const auto range = open_ones(fleet).front();
    CHECK(range.change == Approx(0.15).margin(0.03));
    CHECK(has_words(range.reason, "other changes of its series in the same range: commit "));
    const auto left = fleet.db().find<std::string>(
        "SELECT suspects FROM regression WHERE id = ?1", RegressionId{range.id});
    CHECK(has_words(*left, fleet.revision(29)));
    CHECK_FALSE(has_words(*left, fleet.revision(32)));
    const auto named = open_ones(fleet).back();
    CHECK(has_words(named.reason, "(regression " + std::to_string(range.id) + ")"));
    const auto text = report(fleet, range.id);
    CHECK(has_words(text, "### The suspects"));
    CHECK(has_words(text, "by commit `" + fleet.revision(11).substr(0, 10)));
}

TEST_CASE("A further change too small for a report is told with its commit", "[scenario]") {
    World world = world_of(7, {slower(11, 1.2), slower(28, 1.045)});
    world.noise = 0.004;
    Fleet fleet(world, ":memory:");
    fleet.night(0);
    fleet.night(40);
    REQUIRE(culprits(fleet) == revisions(fleet, {11}));
    const auto one = open_ones(fleet).front();
    const auto brief = fleet.revision(28).substr(0, 10);
    CHECK(has_words(one.reason, "in commit " + brief + " was verified too, too small"));
    const auto text = report(fleet, one.id);
    CHECK(has_words(text, ", verified, by commit `" + brief + "`"));
    CHECK(has_words(text, "too small for a report of its own"));
}

TEST_CASE("What is not found of a change is told with its size and commits", "[scenario]") {
    World world = world_of(8, {slower(11, 1.25), slower(28, 1.12)});
    Fleet fleet(world, ":memory:");
    fleet.config().projects.at("lab").search.max_builds = 8;
    fleet.night(0);
    fleet.night(40);
    REQUIRE(culprits(fleet) == revisions(fleet, {11}));
    const auto one = open_ones(fleet).front();
    CHECK(has_words(one.reason, "a further change of about +"));
    CHECK(has_words(one.reason, " remains in commits "));
    CHECK(has_words(report(fleet, one.id), "% most likely remains in commits `"));
    CHECK(has_words(one.reason, "what is verified explains "));
    CHECK(has_words(report(fleet, one.id), " is of changes that were not found."));
    // It was told before the search for the other one had ended.
    CHECK(
        fleet.count("event", "kind = 'bisection.verified' AND message LIKE '% is verified (+%'") ==
        1);
}

TEST_CASE("Both regressions of one series close when both changes are taken back", "[scenario]") {
    World world = world_of(9, {slower(11, 1.12), slower(28, 1.15), slower(50, 1 / (1.12 * 1.15))});
    world.commits = 60;
    Fleet fleet(world, ":memory:");
    fleet.night(0);
    fleet.night(40);
    REQUIRE(culprits(fleet) == revisions(fleet, {11, 28}));
    for (const int commit : {60, 60, 60}) fleet.night(commit);
    CHECK(fleet.count("regression", "state = 'closed'") == 2);
    CHECK(fleet.count("regression_series", "recovered_nightly_id IS NOT NULL") == 2);
}

TEST_CASE("What a series is reported for already is not reported again", "[scenario]") {
    World world{.seed = 4, .commits = 60, .variants = {"v0"}, .noise = 0.008};
    world.changes = {slower(11, 1.3, "v0"), slower(28, 1.2, "v0")};
    Fleet fleet(world, ":memory:");
    fleet.night(0);
    fleet.night(40);
    REQUIRE(culprits(fleet) == revisions(fleet, {11, 28}));
    // The same confirmed change once more: what a search of it names is reported already.
    auto& db = fleet.db();
    db.execute("UPDATE regression SET state = 'reported'");
    db.execute(
        "INSERT INTO regression(project_id, nightly_id, state, good_build_id, bad_build_id, "
        "bisection_id, created_at_s, changed_at_s) SELECT project_id, nightly_id, 'searching', "
        "good_build_id, bad_build_id, NULL, 1, 1 FROM regression WHERE id = 1");
    db.execute(
        "INSERT INTO regression_series(regression_id, series_id, suspicion_id) "
        "SELECT 3, series_id, suspicion_id FROM regression_series WHERE regression_id = 1");
    db.execute(
        "INSERT INTO bisection(project_id, nightly_id, good_revision, bad_revision, state, "
        "planner, settings, created_at_s) SELECT project_id, nightly_id, good_revision, "
        "bad_revision, 'listing', planner, settings, 1 FROM bisection WHERE id = 1");
    db.execute("UPDATE regression SET bisection_id = 2 WHERE id = 3");
    db.execute("UPDATE nightly SET state = 'searching' WHERE id = 2");
    fleet.night(40);
    CHECK(culprits(fleet) == revisions(fleet, {11, 28}));
    CHECK(fleet.count("regression", "reason LIKE 'the same culprit as regression%'") == 2);
    CHECK(fleet.count("regression_series") == 2);
}
