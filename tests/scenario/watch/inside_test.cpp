#include <random>

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

// Culprits that came in by merges.

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

// Commit 23 of the line merges ten commits that left it at 12.
World one_merge(unsigned seed) {
    World world{.seed = seed, .commits = 40};
    world.branches = {{23, 12, {101, 102, 103, 104, 105, 106, 107, 108, 109, 110}}};
    return world;
}

struct Named {
    std::string culprit;
    std::string good_revision;  // of the bisection that named it
    int parent = 0;             // by which it came in
    std::string reason;
};

Named named(Fleet& fleet) {
    auto row = fleet.db().query(
        "SELECT r.culprit, b.good_revision, b.parent, r.reason FROM regression r "
        "JOIN bisection b ON b.id = r.bisection_id WHERE r.culprit IS NOT NULL "
        "AND r.state = 'attributed' ORDER BY r.id DESC");
    if (!row.next()) return {};
    return {
        row.get<std::string>(0),
        row.get<std::string>(1),
        row.get<std::optional<int>>(2).value_or(0),
        row.get<std::string>(3)};
}

void two_nights(Fleet& fleet) {
    fleet.night(0);
    fleet.night(40);
    CHECK(fleet.count("nightly", "state = 'done'") == 2);
    CHECK(fleet.count("regression", "state = 'searching'") == 0);
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A culprit that a merge brought is named, against its own parent", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    const test::ScratchFolder folder;
    World world = one_merge(seed);
    world.changes = {{.commit = 104, .variant = "infer", .time = 1.2}};
    Fleet fleet(world, folder / "ledger");
    two_nights(fleet);
    CHECK(fleet.count("regression") == 1);
    CHECK(fleet.count("bisection") == 2);
    const auto found = named(fleet);
    CHECK(found.culprit == fleet.revision(104));
    CHECK(found.good_revision == fleet.revision(12));
    CHECK(found.parent == 2);
    CHECK(holds(found.reason, "came in by the merge " + fleet.revision(23).substr(0, 10)));
    // Verified by runs of the inner search itself.
    CHECK(
        fleet.count(
            "job",
            "purpose = 'verify' AND probe_id IN (SELECT p.id FROM probe p JOIN bisection b "
            "ON b.id = p.bisection_id WHERE b.outer_id IS NOT NULL)") > 0);
}

TEST_CASE("The regression is attributed only when the inner search has ended", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(4);
    world.changes = {{.commit = 107, .variant = "infer", .time = 1.25}};
    Fleet fleet(world, folder / "ledger");
    int waited = 0;
    fleet.kill = [&] {  // after every step; nothing is killed here
        const bool inside =
            fleet.count("bisection", "outer_id IS NOT NULL AND state NOT IN ('done', 'failed')");
        if (inside) {
            ++waited;
            REQUIRE(fleet.count("regression", "state = 'searching'") == 1);
        }
        return false;
    };
    two_nights(fleet);
    CHECK(waited > 5);
    CHECK(fleet.culprits() == std::vector{fleet.revision(107)});
}

TEST_CASE("Merges inside of merges are entered one after the other", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(5);
    world.branches.push_back({106, 102, {201, 202, 203, 204}});
    world.changes = {{.commit = 202, .variant = "infer", .time = 1.2}};
    Fleet fleet(world, folder / "ledger");
    two_nights(fleet);
    CHECK(fleet.count("bisection") == 3);
    const auto found = named(fleet);
    CHECK(found.culprit == fleet.revision(202));
    CHECK(found.good_revision == fleet.revision(102));
    CHECK(
        fleet.count(
            "bisection",
            "merge = '" + fleet.revision(106) +
                "' AND outer_id IN (SELECT id FROM bisection "
                "WHERE merge = '" +
                fleet.revision(23) + "')") == 1);
}

TEST_CASE("Of a merge of several branches, the next is searched where one is fine", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(6);
    world.branches.push_back({23, 14, {201, 202, 203}});
    world.branches.push_back({23, 16, {301, 302, 303, 304, 305}});
    world.changes = {{.commit = 303, .variant = "infer", .time = 1.25}};
    Fleet fleet(world, folder / "ledger");
    two_nights(fleet);
    const auto found = named(fleet);
    CHECK(found.culprit == fleet.revision(303));
    CHECK(found.parent == 4);
    CHECK(fleet.count("bisection", "merge = '" + fleet.revision(23) + "'") == 3);
    CHECK(fleet.count("regression") == 1);
}

TEST_CASE("What the brought commits do not show alone stays with the merge", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(7);
    world.changes = {{.commit = 23, .variant = "infer", .time = 1.25}};
    Fleet fleet(world, folder / "ledger");
    two_nights(fleet);
    const auto found = named(fleet);
    CHECK(found.culprit == fleet.revision(23));
    CHECK(found.parent == 0);
    CHECK(found.good_revision == fleet.revision(0));
    CHECK(holds(found.reason, "verified on two machines"));
    CHECK(holds(found.reason, "do not show the change alone"));
    CHECK(fleet.count("bisection") == 2);
    CHECK(fleet.count("regression_series", "verified <> '{}'") == 1);
}

TEST_CASE("A commit before it stands in for a tip that cannot be built", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(8);
    world.broken = {108, 109, 110};
    world.changes = {{.commit = 104, .variant = "infer", .time = 1.25}};
    Fleet fleet(world, folder / "ledger");
    two_nights(fleet);
    const auto found = named(fleet);
    CHECK(found.culprit == fleet.revision(104));
    CHECK(holds(found.reason, "it came in by the merge"));
}

TEST_CASE("A merge that changes more than what it brought is named beside it", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(8);
    world.changes = {
        {.commit = 104, .variant = "infer", .time = 1.15},
        {.commit = 23, .variant = "infer", .time = 1.2}};
    if (GENERATE(false, true)) world.broken = {22};  // then it is in the range that holds the merge
    Fleet fleet(world, folder / "ledger");
    two_nights(fleet);
    CHECK(fleet.count("regression") == 2);
    CHECK(fleet.count("regression", "culprit = '" + fleet.revision(104) + "'") == 1);
    const auto rest = world.broken.empty()
                          ? "culprit = '" + fleet.revision(23) + "' AND state = 'attributed'"
                          : "culprit IS NULL AND state = 'range' AND suspects LIKE '%" +
                                fleet.revision(23) + "%'";
    CHECK(fleet.count("regression", rest) == 1);
    CHECK(fleet.count("regression", "reason LIKE '%a part of its change came by commits%'") == 1);
    CHECK(fleet.count("regression", "reason LIKE '%range: the rest (regression 2)%'") == 1);
}

TEST_CASE("The merges of a range that cannot be told apart are searched inside", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(8);
    world.broken = {22};
    SECTION("where it brought the change") {
        world.changes = {{.commit = 104, .variant = "infer", .time = 1.25}};
        Fleet fleet(world, folder / "ledger");
        two_nights(fleet);
        const auto found = named(fleet);
        CHECK(found.culprit == fleet.revision(104));
        CHECK(holds(found.reason, "it came in by the merge " + fleet.revision(23).substr(0, 10)));
        CHECK(fleet.count("regression", "suspects <> '[]'") == 0);
    }
    SECTION("where it cannot be built itself") {
        world.broken = {23};
        world.changes = {{.commit = 104, .variant = "infer", .time = 1.25}};
        Fleet fleet(world, folder / "ledger");
        two_nights(fleet);
        CHECK(named(fleet).culprit == fleet.revision(104));
    }
    SECTION("and so is another one of the range") {
        world.branches.push_back({22, 12, {201, 202, 203}});
        world.changes = {{.commit = 202, .variant = "infer", .time = 1.25}};
        Fleet fleet(world, folder / "ledger");
        two_nights(fleet);
        CHECK(named(fleet).culprit == fleet.revision(202));
        CHECK(fleet.count("bisection") == 3);
    }
    SECTION("where it did not") {
        world.changes = {{.commit = 22, .variant = "infer", .time = 1.25}};
        Fleet fleet(world, folder / "ledger");
        two_nights(fleet);
        CHECK(fleet.count("regression", "state = 'range' AND culprit IS NULL") == 1);
        CHECK(
            fleet.count("regression", "reason LIKE '%cannot be told apart%searched inside%'") == 1);
    }
    SECTION("where its inside fails") {
        world.broken = {22, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110};
        world.changes = {{.commit = 104, .variant = "infer", .time = 1.25}};
        Fleet fleet(world, folder / "ledger");
        two_nights(fleet);
        CHECK(fleet.count("regression", "state = 'range' AND culprit IS NULL") == 1);
    }
}

TEST_CASE("What only a tip holds that cannot be built stays with the merge", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(8);
    world.broken = {108, 109, 110};
    world.changes = {{.commit = 109, .variant = "infer", .time = 1.25}};
    Fleet fleet(world, folder / "ledger");
    two_nights(fleet);
    const auto found = named(fleet);
    CHECK(found.culprit == fleet.revision(23));
    const auto brief = [&](int commit) { return fleet.revision(commit).substr(0, 10); };
    CHECK(holds(
        found.reason,
        "commit " + brief(107) + " stood in for the bad end: commits " + brief(108) + " to " +
            brief(110) + " cannot be built"));
    CHECK(fleet.count("regression") == 1);
    CHECK(fleet.count("bisection", "state = 'done'") == 2);
}

TEST_CASE("Series of one merge with causes of their own become regressions", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(9);
    world.variants = {"infer", "train", "export"};
    world.changes = {
        {.commit = 103, .variant = "infer", .time = 1.25},
        {.commit = 108, .variant = "train", .time = 1.3},
        {.commit = 23, .variant = "export", .time = 1.3}};
    Fleet fleet(world, folder / "ledger");
    two_nights(fleet);
    auto found = fleet.culprits();
    std::sort(found.begin(), found.end());
    auto planted = std::vector{fleet.revision(103), fleet.revision(108), fleet.revision(23)};
    std::sort(planted.begin(), planted.end());
    CHECK(found == planted);
    CHECK(fleet.count("regression", "state = 'attributed'") == 3);
}

TEST_CASE("Inside of a merge the series' own machine classes measure", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(12);
    world.machine_classes = {"fast", "wide"};
    world.changes = {
        {.commit = 30, .variant = "infer", .time = 1.3, .machine_class = "fast"},
        {.commit = 104, .variant = "infer", .time = 1.25, .machine_class = "wide"}};
    Fleet fleet(world, folder / "ledger");
    two_nights(fleet);
    auto found = fleet.culprits();
    std::sort(found.begin(), found.end());
    auto planted = std::vector{fleet.revision(30), fleet.revision(104)};
    std::sort(planted.begin(), planted.end());
    CHECK(found == planted);
    CHECK(
        fleet.count(
            "job",
            "probe_id IN (SELECT p.id FROM probe p JOIN bisection b ON b.id = p.bisection_id "
            "WHERE b.outer_id IS NOT NULL) AND machine_class_id <> (SELECT id FROM machine_class "
            "WHERE name = 'wide')") == 0);
}

TEST_CASE("A variant that no longer runs is searched inside of a merge too", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(13);
    world.variants = {"infer", "train"};
    world.crashes = {{"train", 106}};
    Fleet fleet(world, folder / "ledger");
    two_nights(fleet);
    CHECK(fleet.culprits() == std::vector{fleet.revision(106)});
    CHECK(named(fleet).parent == 2);
}

TEST_CASE("What recovers while it is searched stays closed", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(11);
    world.changes = {{.commit = 104, .variant = "infer", .time = 1.25}};
    Fleet fleet(world, folder / "ledger");
    bool closed = false;
    SECTION("on the line") {
        fleet.kill = [&] {  // once it is searched; nothing is killed here
            if (!closed && fleet.count("probe") > 0) {
                closed = fleet.db().execute("UPDATE regression SET state = 'closed'") == 1;
            }
            return false;
        };
        two_nights(fleet);
        CHECK(fleet.count("bisection") == 1);
    }
    SECTION("inside of the merge") {
        fleet.kill = [&] {
            if (!closed && fleet.count("bisection", "outer_id IS NOT NULL") > 0) {
                closed = fleet.db().execute("UPDATE regression SET state = 'closed'") == 1;
            }
            return false;
        };
        two_nights(fleet);
        CHECK(fleet.culprits() == std::vector{fleet.revision(104)});
    }
    CHECK(closed);
    CHECK(fleet.count("regression", "state = 'closed'") == 1);
}

TEST_CASE("Searches inside of merges share the budget of the regression", "[scenario]") {
    const test::ScratchFolder folder;
    World world = one_merge(10);
    world.changes = {{.commit = 104, .variant = "infer", .time = 1.25}};
    Fleet fleet(world, folder / "ledger");
    SECTION("nothing is left for the inside") {
        fleet.config().projects.at("lab").search.max_builds = 5;
        two_nights(fleet);
        CAPTURE(named(fleet).reason);
        CHECK(holds(named(fleet).reason, "its inside was not searched: the budget is spent"));
    }
    SECTION("one build is left for the inside") {
        fleet.config().projects.at("lab").search.max_builds = 6;
        two_nights(fleet);
        CHECK(holds(named(fleet).reason, "all 1 builds are spent"));
    }
    CHECK(named(fleet).culprit == fleet.revision(23));
}

TEST_CASE("Kills at any step change nothing about what is found inside", "[scenario]") {
    const auto seed = GENERATE(31u, 32u, 33u);
    CAPTURE(seed);
    const test::ScratchFolder folder;
    World world = one_merge(seed);
    world.branches.push_back({105, 103, {201, 202, 203, 204, 205}});
    world.branches.push_back({105, 101, {301, 302, 303}});
    world.changes = {{.commit = 302, .variant = "infer", .time = 1.25}};
    world.lost_share = 0.2;
    Fleet fleet(world, folder / "ledger");
    std::mt19937 random(seed);
    fleet.kill = [&] { return std::uniform_int_distribution<int>(0, 2)(random) == 0; };
    two_nights(fleet);
    CHECK(fleet.kills() > 10);
    CHECK(fleet.culprits() == std::vector{fleet.revision(302)});
    CHECK(fleet.count("bisection") == 4);
    CHECK(named(fleet).parent == 3);
}
