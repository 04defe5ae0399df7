#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/store/findings/fixes.hpp"
#include "service/store/reports/reports.hpp"
#include "service/watch/quarantine.hpp"
#include "tests/integration/service/source/git_repository.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

// No text names the commit that fixed a regression: it is measured.

using namespace vigil;
using history::FixedBy;
using tests::Fleet;
using tests::World;

namespace {

/// Commit 103 makes it slower by a fifth, 143 takes that back and does not say so.
World silently_fixed(unsigned seed) {
    World world{.seed = seed, .commits = 400, .noise = 0.01};
    world.changes = {
        {.commit = 103, .variant = "infer", .time = 1.2},
        {.commit = 143, .variant = "infer", .time = 1 / 1.2}};
    return world;
}

void play_from(Fleet& fleet, int from, int nights) {
    for (int night = 0; night < nights; ++night) fleet.night(from + 10 * night);
}

service::Fix told(Fleet& fleet) {
    const auto fix = fleet.db().find<FixId>("SELECT id FROM mending ORDER BY id DESC");
    REQUIRE(fix);
    return service::load_told(fleet.db(), *fix);
}

std::vector<std::string> candidates(Fleet& fleet) {
    std::vector<std::string> all;
    for (const auto& one : told(fleet).candidates) all.push_back(one.str());
    return all;
}

std::string head_of_issue(Fleet& fleet) {
    const auto body = service::render_regression(service::load_regression_facts(
                                                     fleet.db(), RegressionId{1}, fleet.config()))
                          .body;
    return body.substr(0, body.find('\n'));
}

const char* const searches_still = "kind = 'mending' AND state NOT IN ('done', 'failed')";

/// Once, while the search for what fixed goes on.
void when_searching(Fleet& fleet, const std::function<void()>& work) {
    fleet.kill = [&fleet, work, was = false]() mutable {
        if (was || fleet.count("bisection", "kind = 'mending' AND state = 'searching'") == 0) {
            return false;
        }
        was = true;
        work();
        return false;
    };
}

}  // namespace

TEST_CASE("The commit that fixed is measured where no text names it", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    Fleet fleet(silently_fixed(seed), ":memory:");
    play_from(fleet, 0, 18);
    REQUIRE(fleet.count("bisection", "kind = 'mending' AND state = 'done'") == 1);
    const auto fix = told(fleet);
    CHECK(fix.by == FixedBy::measured);
    CHECK(fix.revision.str() == fleet.revision(143));
    CHECK(fix.subject == "commit 143");
    CHECK(fix.merge.empty());
    CHECK(fleet.culprits() == std::vector{fleet.revision(103)});
    CHECK(fleet.count("regression", "state = 'closed'") == 1);
    CHECK(fleet.count("regression") == 1);
    CHECK(fleet.count("event", "kind = 'regression.mended'") == 1);
    CHECK(fleet.count("nightly", "state = 'done'") == 18);
    // It comes after everything else, and costs little.
    const std::string its =
        "probe_id IN (SELECT p.id FROM probe p JOIN bisection b ON b.id = p.bisection_id "
        "WHERE b.kind = 'mending')";
    CHECK(fleet.count("job", its + " AND priority = 10") == fleet.count("job", its));
    CHECK(fleet.count("job", its) > 1);
    CHECK(fleet.count("job", its) < 20);
    CHECK_THAT(
        head_of_issue(fleet),
        Catch::Contains(
            "Recovered, nothing to do: by `" + fleet.revision(143).substr(0, 10) +
            "`, built and measured with it and without; measured back"));
}

TEST_CASE("The commit that fixed is measured in a real repository", "[scenario]") {
    const test::ScratchFolder folder;
    test::GitRepository repository(folder / "repository");
    World world{.seed = 4, .commits = 90, .noise = 0.01, .repository = folder / "repository"};
    for (int commit = 0; commit <= world.commits; ++commit) {
        world.revisions.push_back(repository.commit("Change " + std::to_string(commit)));
    }
    world.changes = {
        {.commit = 43, .variant = "infer", .time = 1.2},
        {.commit = 74, .variant = "infer", .time = 1 / 1.2}};
    Fleet fleet(world, ":memory:");
    play_from(fleet, 0, 10);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(43)});
    REQUIRE(fleet.count("regression", "state = 'closed'") == 1);
    CHECK(told(fleet).by == FixedBy::measured);
    CHECK(told(fleet).revision.str() == fleet.revision(74));
    CHECK(told(fleet).subject == "Change 74");
    CHECK(told(fleet).author == "Author One");
    CHECK(fleet.count("regression") == 1);
}

TEST_CASE("A night closes while what fixed is still searched", "[scenario]") {
    Fleet fleet(silently_fixed(1), ":memory:");
    play_from(fleet, 0, 15);
    bool was = false;
    when_searching(fleet, [&] {
        was = true;
        CHECK(fleet.count("nightly", "state = 'done'") == 16);
        CHECK(fleet.count("regression", "state = 'closed'") == 1);
        CHECK(service::list_due_nights(fleet.db(), 100).size() == 16);
        CHECK_THAT(head_of_issue(fleet), Catch::Contains("by one of 10 commits after"));
    });
    play_from(fleet, 150, 1);
    REQUIRE(was);
    CHECK(told(fleet).revision.str() == fleet.revision(143));
}

TEST_CASE("Kills at any step change nothing about what is measured to have fixed", "[scenario]") {
    const auto seed = GENERATE(41u, 42u);
    CAPTURE(seed);
    const test::ScratchFolder folder;
    Fleet fleet(silently_fixed(seed), folder / "ledger");
    play_from(fleet, 0, 15);
    std::mt19937 random(seed);
    fleet.kill = [&] { return std::uniform_int_distribution<int>(0, 2)(random) == 0; };
    play_from(fleet, 150, 1);
    CHECK(fleet.kills() > 20);
    CHECK(told(fleet).by == FixedBy::measured);
    CHECK(told(fleet).revision.str() == fleet.revision(143));
    CHECK(fleet.count("bisection", "kind = 'mending'") == 1);
    CHECK(fleet.count("event", "kind = 'regression.mended'") == 1);
}

TEST_CASE("What cannot be measured of a range is told as far as it was narrowed", "[scenario]") {
    World world = silently_fixed(2);
    SECTION("neighbours of the commit do not build") {
        world.broken = {142, 143, 144};
        Fleet fleet(world, ":memory:");
        play_from(fleet, 0, 17);
        CHECK(told(fleet).by == FixedBy::one_of);
        CHECK(
            candidates(fleet) == std::vector{
                                     fleet.revision(142),
                                     fleet.revision(143),
                                     fleet.revision(144),
                                     fleet.revision(145)});
        CHECK_THAT(
            head_of_issue(fleet),
            Catch::Contains(
                "as measured by one or more of `" + fleet.revision(142).substr(0, 10)) &&
                Catch::Contains(", among 10 commits after `"));
        CHECK(fleet.count("event", "kind = 'regression.mended'") == 1);
    }
    SECTION("nothing in between builds") {
        for (int commit = 141; commit < 150; ++commit) world.broken.insert(commit);
        Fleet fleet(world, ":memory:");
        play_from(fleet, 0, 17);
        REQUIRE(fleet.count("bisection", "kind = 'mending'") == 1);
        CHECK(fleet.count("bisection", searches_still) == 0);
        CHECK(told(fleet).by == FixedBy::one_of);
        CHECK(candidates(fleet).empty());
        CHECK_THAT(head_of_issue(fleet), Catch::Contains("by one of 10 commits after"));
        CHECK(fleet.count("event", "kind = 'regression.mended'") == 0);
    }
}

TEST_CASE("Series that two commits fixed are told with both", "[scenario]") {
    World world = silently_fixed(3);
    world.variants = {"train", "infer"};
    world.changes.push_back({.commit = 103, .variant = "train", .time = 1.2});
    world.changes.push_back({.commit = 147, .variant = "train", .time = 1 / 1.2});
    Fleet fleet(world, ":memory:");
    play_from(fleet, 0, 18);
    REQUIRE(fleet.count("mending") == 1);
    CHECK(candidates(fleet) == std::vector{fleet.revision(143), fleet.revision(147)});
    CHECK(fleet.count("regression") == 1);
}

TEST_CASE("A commit that a merge brought is measured to have fixed", "[scenario]") {
    World world = silently_fixed(3);
    world.changes[1].commit = 502;
    world.branches = {{145, 141, {501, 502, 503}}};
    world.messages[145] = "Merge the fast lane";
    Fleet fleet(world, ":memory:");
    play_from(fleet, 0, 17);
    const auto fix = told(fleet);
    CHECK(fix.by == FixedBy::measured);
    CHECK(fix.revision.str() == fleet.revision(502));
    CHECK(fix.merge.str() == fleet.revision(145));
    CHECK(fix.merge_subject == "Merge the fast lane");
    CHECK(fleet.count("bisection", "kind = 'mending'") == 2);
    CHECK(fleet.count("event", "kind = 'regression.mended'") == 1);
    CHECK(fleet.culprits() == std::vector{fleet.revision(103)});
}

TEST_CASE("A merge whose inside cannot be measured is what fixed", "[scenario]") {
    World world = silently_fixed(3);
    world.changes[1].commit = 502;
    world.branches = {{145, 141, {501, 502, 503}}};
    world.broken = {501, 502, 503};
    Fleet fleet(world, ":memory:");
    play_from(fleet, 0, 17);
    CHECK(told(fleet).by == FixedBy::measured);
    CHECK(told(fleet).revision.str() == fleet.revision(145));
    CHECK(told(fleet).merge.empty());
    CHECK(fleet.count("event", "kind = 'regression.mended'") == 1);
}

TEST_CASE("The commit since which something runs again is measured", "[scenario]") {
    World world{.seed = 5, .commits = 200, .variants = {"infer", "train"}, .noise = 0.01};
    world.crashes = {{"train", 43}};
    world.runs_again = {{"train", 73}};
    Fleet fleet(world, ":memory:");
    play_from(fleet, 0, 10);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(43)});
    CHECK(told(fleet).by == FixedBy::measured);
    CHECK(told(fleet).revision.str() == fleet.revision(73));
}

TEST_CASE("A search for what fixed ends with what it is for", "[scenario]") {
    Fleet fleet(silently_fixed(1), ":memory:");
    play_from(fleet, 0, 15);
    SECTION("a person opens the regression again") {
        when_searching(fleet, [&] {
            fleet.db().execute_script("UPDATE regression_series SET recovered_nightly_id = NULL");
        });
        play_from(fleet, 150, 1);
        CHECK(fleet.count("bisection", "kind = 'mending' AND state = 'failed'") == 1);
    }
    SECTION("its night is set aside, and stays as it was") {
        when_searching(fleet, [&] {
            service::quarantine_nightly(fleet.db(), NightlyId{16}, "a test", fleet.now_s());
        });
        play_from(fleet, 150, 1);
        CHECK(fleet.count("bisection", "kind = 'mending' AND state = 'failed'") == 1);
        CHECK(fleet.count("nightly", "state = 'done'") == 16);
        CHECK_THAT(head_of_issue(fleet), Catch::Contains("by one of 10 commits after"));
    }
    CHECK(fleet.count("event", "kind = 'regression.mended'") == 0);
    CHECK(fleet.count("job", "state IN ('queued', 'leased')") == 0);
}
