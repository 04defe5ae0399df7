#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "service/report/facts/night_facts.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_night.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/store/findings/fix_records.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

// What fixed a regression is named where it closes.

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string short_hash(int commit) {
    return tests::CommitGraph::revision(commit).substr(0, 10);
}

std::string revert_of(int commit) {
    return "Go back\n\nThis reverts commit " + tests::CommitGraph::revision(commit) + ".";
}

/// Commit 103 makes it slower by a fifth, 143 takes that back.
World reverted_world(unsigned seed) {
    World world{.seed = seed, .commits = 400, .noise = 0.01};
    world.changes = {
        {.commit = 103, .variant = "infer", .time = 1.2},
        {.commit = 143, .variant = "infer", .time = 1 / 1.2}};
    return world;
}

/// A nightly of every tenth commit.
void play_tens(Fleet& fleet, int from, int nights) {
    for (int night = 0; night < nights; ++night) fleet.night(from + 10 * night);
}

std::string issue_of(Fleet& fleet, std::int64_t id = 1) {
    return service::render_regression(
               service::load_regression_facts(fleet.db(), RegressionId{id}, fleet.config()))
        .body;
}

std::string summary_of(Fleet& fleet, std::int64_t night) {
    return service::render_night(
               service::load_night_facts(fleet.db(), NightlyId{night}, fleet.config()))
        .body;
}

std::string event_of(Fleet& fleet, const std::string& kind) {
    return fleet.db()
        .find<std::string>("SELECT message FROM event WHERE kind = ?1 ORDER BY id DESC", kind)
        .value_or("");
}

std::string head_of(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("The issue of a regression that was reverted names the revert", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    World world = reverted_world(seed);
    world.messages[143] = revert_of(103);
    Fleet fleet(world, ":memory:");
    play_tens(fleet, 0, 14);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(103)});
    CHECK_FALSE(says(issue_of(fleet), "Recovered"));
    play_tens(fleet, 140, 3);
    REQUIRE(fleet.count("regression", "state = 'closed'") == 1);
    CHECK(fleet.count("mending") == 1);
    const auto body = issue_of(fleet);
    CAPTURE(body);
    CHECK(says(
        head_of(body),
        "Recovered, nothing to do: reverted by `" + short_hash(143) + "`, as its text says"));
    CHECK(says(head_of(body), "measured back at its level in the nightly of"));
    CHECK(says(body, "### What is back\n"));
    CHECK(says(event_of(fleet, "regression.recovered"), "reverted by " + short_hash(143)));
    const auto night = fleet.db().find<std::int64_t>("SELECT nightly_id FROM mending");
    CHECK(
        says(summary_of(fleet, *night), "reverted by `" + short_hash(143) + "`, as its text says"));
    CHECK_FALSE(says(summary_of(fleet, *night + 1), short_hash(143)));
}

TEST_CASE("A culprit that was reverted in vain is told as that, once", "[scenario]") {
    World world = reverted_world(1);
    world.changes.pop_back();
    world.messages[143] = revert_of(103);  // says so, and changes nothing
    world.messages[203] =
        "Reland\n\nThis reverts commit " + tests::CommitGraph::revision(143) + ".";
    Fleet fleet(world, ":memory:");
    play_tens(fleet, 0, 14);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(103)});
    CHECK_FALSE(says(issue_of(fleet), "still worse"));
    play_tens(fleet, 140, 4);
    REQUIRE(fleet.count("regression", "state = 'attributed'") == 1);
    CHECK(fleet.count("event", "kind = 'regression.still_worse'") == 1);
    CHECK(fleet.count("mending") == 1);
    const auto body = issue_of(fleet);
    CAPTURE(body);
    CHECK(says(
        head_of(body),
        "It was reverted and is still worse: find what else does it, or accept the new level"));
    CHECK(says(
        body,
        "### Reverted, and still worse\n\nThe culprit was reverted by `" + short_hash(143) +
            "`, as its text says"));
    CHECK(says(body, "against its level before, "));
    play_tens(fleet, 200, 3);  // a later commit takes the revert back
    CHECK_FALSE(says(issue_of(fleet), "still worse"));
    CHECK(fleet.count("mending") == 0);
}

TEST_CASE("Of a range whose texts say nothing both ends are named", "[scenario]") {
    World world = reverted_world(1);
    for (int commit = 141; commit < 150; ++commit) world.broken.insert(commit);  // not measurable
    Fleet fleet(world, ":memory:");
    play_tens(fleet, 0, 17);
    REQUIRE(fleet.count("regression", "state = 'closed'") == 1);
    const auto body = issue_of(fleet);
    CAPTURE(body);
    CHECK(says(
        head_of(body),
        "by one of 10 commits after `" + short_hash(140) + "` up to `" + short_hash(150) + "`"));
    CHECK(says(event_of(fleet, "regression.closed"), "by one of 10 commits"));
}

TEST_CASE("Each part of a recovery names its own commit", "[scenario]") {
    World world = reverted_world(2);
    world.variants = {"train", "infer"};
    world.changes.push_back({.commit = 103, .variant = "train", .time = 1.2});
    world.changes.push_back({.commit = 183, .variant = "train", .time = 1 / 1.2});
    world.messages[143] = revert_of(103);
    Fleet fleet(world, ":memory:");
    play_tens(fleet, 0, 17);
    REQUIRE(fleet.count("event", "kind = 'regression.partly_recovered'") == 1);
    auto body = issue_of(fleet);
    CAPTURE(body);
    CHECK(says(
        head_of(body),
        "1 of 2 series is back, reverted by `" + short_hash(143) + "`, as its text says"));
    CHECK(says(head_of(body), "still worse: `model` (`train`) on `fast`"));
    CHECK(says(event_of(fleet, "regression.partly_recovered"), "reverted by " + short_hash(143)));
    const auto night = fleet.db().find<std::int64_t>("SELECT nightly_id FROM mending");
    CHECK(says(
        summary_of(fleet, *night), "1 of 2 series back tonight: reverted by `" + short_hash(143)));
    play_tens(fleet, 170, 4);
    REQUIRE(fleet.count("regression", "state = 'closed'") == 1);
    CHECK(fleet.count("mending") == 2);
    body = issue_of(fleet);
    CHECK(says(body, "; and by `" + short_hash(183) + "`, built and measured"));
    CHECK(says(body, short_hash(143)));
}

TEST_CASE("A revert that a merge brought is named with the merge", "[scenario]") {
    World world = reverted_world(3);
    world.changes[1].commit = 502;
    world.branches = {{145, 141, {501, 502, 503}}};
    world.messages[502] = revert_of(103);
    world.messages[145] = "Merge the fast lane";
    Fleet fleet(world, ":memory:");
    play_tens(fleet, 0, 17);
    REQUIRE(fleet.count("regression", "state = 'closed'") == 1);
    const auto body = issue_of(fleet);
    CAPTURE(body);
    CHECK(says(
        body,
        "reverted by `" + short_hash(502) + "`, brought by the merge `" + short_hash(145) +
            "`, as its text says"));
    CHECK(says(body, "merge `Merge the fast lane`"));
}

TEST_CASE("A regression closes at once where the repository answers late", "[scenario]") {
    World world = reverted_world(1);
    world.messages[143] = revert_of(103);
    Fleet fleet(world, ":memory:");
    play_tens(fleet, 0, 15);
    fleet.slow_texts = 1000;
    bool waited = false;
    fleet.kill = [&] {  // after every step; nothing is killed here
        if (fleet.count("regression", "state = 'closed'") == 0) return false;
        if (fleet.count("mending", "state = 'listing'") == 0) return false;
        if (!waited) {
            waited = true;
            CHECK(says(issue_of(fleet), "the commits in between are being listed"));
            CHECK(fleet.count("nightly", "state = 'searching'") == 1);
            fleet.slow_texts = 0;
        }
        return false;
    };
    play_tens(fleet, 150, 1);
    REQUIRE(waited);
    CHECK(fleet.count("nightly", "state = 'done'") == 16);
    CHECK(says(event_of(fleet, "regression.mended"), "reverted by " + short_hash(143)));
    CHECK(says(issue_of(fleet), "reverted by `" + short_hash(143)));
    CHECK(fleet.count("regression", "unreported = 1") == 1);
}

TEST_CASE("Kills at any step change nothing about what fixed", "[scenario]") {
    const auto seed = GENERATE(31u, 32u);
    CAPTURE(seed);
    const test::ScratchFolder folder;
    World world = reverted_world(seed);
    world.messages[143] = revert_of(103);
    Fleet fleet(world, folder / "ledger");
    play_tens(fleet, 0, 14);
    std::mt19937 random(seed);
    fleet.kill = [&] { return std::uniform_int_distribution<int>(0, 2)(random) == 0; };
    play_tens(fleet, 140, 3);
    CHECK(fleet.kills() > 10);
    CHECK(fleet.count("mending", "state = 'told'") == 1);
    CHECK(fleet.count("mending") == 1);
    CHECK(fleet.count("event", "kind = 'regression.recovered'") == 1);
    CHECK(says(issue_of(fleet), "reverted by `" + short_hash(143) + "`, as its text says"));
}

TEST_CASE("What comes back with a reland is a regression that names it", "[scenario]") {
    World world = reverted_world(1);
    world.changes.push_back({.commit = 203, .variant = "infer", .time = 1.2});
    world.messages[103] = "Check every shape";
    world.messages[143] = "Revert \"Check every shape\"";
    world.messages[203] = "Reland \"Check every shape\"";
    Fleet fleet(world, ":memory:");
    play_tens(fleet, 0, 23);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(103), fleet.revision(203)});
    const auto body = issue_of(fleet, 2);
    CAPTURE(body);
    const std::string before = "The same series before: regression 1, since `";
    CHECK(says(body, before + short_hash(103) + "` `Check every shape`"));
    CHECK(says(body, "by its subject this culprit brings that one back"));
    CHECK_FALSE(says(issue_of(fleet, 1), "The same series before"));
    CHECK(says(head_of(issue_of(fleet, 1)), "reverted by `" + short_hash(143)));
}

TEST_CASE("A commit that says that it fixes the issue is named", "[scenario]") {
    const std::string issue = "https://tracker.example/lab/tensors/issues/12";
    World world = reverted_world(2);
    world.messages[143] = "Faster checks\n\nFixes #12";
    world.messages[145] = "Faster docs\n\nFixes other/tensors#12";
    Fleet fleet(world, ":memory:");
    auto& links = fleet.config().projects.at("lab").links;
    play_tens(fleet, 0, 14);
    fleet.db().execute_script(
        "INSERT INTO report(kind, project_id, regression_id, version, title, body, created_at_s) "
        "VALUES ('regression', 1, 1, 1, '', '', 1)");
    fleet.db().execute(
        "INSERT INTO outbox(report_id, target, state, next_attempt_at_s, external_ref) "
        "VALUES (1, 'issues', 'sent', 0, ?1)",
        issue);
    SECTION("a number alone means the repository's own tracker") {
        links.commit_url = "https://tracker.example/lab/tensors/commit/{revision}";
        play_tens(fleet, 140, 3);
        const auto body = issue_of(fleet);
        CAPTURE(body);
        CHECK(says(head_of(body), "which says that it fixes this issue; measured back"));
        CHECK(says(head_of(body), short_hash(143)));
        CHECK_FALSE(says(body, "more say so"));
    }
    SECTION("of another tracker it means another issue") {
        links.commit_url = "https://tracker.example/lab/other/commit/{revision}";
        play_tens(fleet, 140, 3);
        CHECK(says(head_of(issue_of(fleet)), ", built and measured with it and without"));
        CHECK_FALSE(says(issue_of(fleet), "fixes this issue"));
    }
    CHECK(fleet.count("regression", "state = 'closed'") == 1);
}

TEST_CASE("What no longer ran and runs again recovers, and its commit is named", "[scenario]") {
    World world{.seed = 5, .commits = 200, .variants = {"infer", "train"}, .noise = 0.01};
    world.crashes = {{"train", 43}};
    world.runs_again = {{"train", 73}};
    world.messages[73] = revert_of(43);
    Fleet fleet(world, ":memory:");
    play_tens(fleet, 0, 8);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(43)});
    CHECK(fleet.count("regression", "state = 'closed'") == 0);
    play_tens(fleet, 80, 2);
    CHECK(fleet.count("regression", "state = 'closed'") == 1);
    CHECK(fleet.count("regression") == 1);
    const auto body = issue_of(fleet);
    CAPTURE(body);
    CHECK(says(head_of(body), "reverted by `" + short_hash(73) + "`, as its text says"));
    CHECK(says(head_of(body), "; it ran again in the nightly of"));
    CHECK(says(body, "last bad in `2026-01-08`, `" + short_hash(70) + "`; back in `2026-01-09`"));
}

TEST_CASE("A culprit that is named later tells what was reverted before", "[scenario]") {
    World world{.seed = 3, .commits = 40, .variants = {"infer", "train"}, .noise = 0.01};
    world.changes = {
        {.commit = 13, .variant = "infer", .time = 1.2},
        {.commit = 13, .variant = "train", .time = 1.2}};
    world.messages[35] = revert_of(13);
    Fleet fleet(world, ":memory:");
    bool back = false;
    fleet.kill = [&] {  // while it is searched; nothing is killed here
        if (back || fleet.count("probe") == 0) return false;
        back = true;
        fleet.db().execute_script(
            "UPDATE regression_series SET recovered_nightly_id = 2 WHERE series_id = 1");
        service::Fix told;
        told.by = history::FixedBy::one_of;
        fleet.db().execute(
            "INSERT INTO mending(regression_id, nightly_id, bad_nightly_id, state, told) "
            "VALUES (1, 2, 1, 'told', ?1)",
            told);
        return false;
    };
    fleet.night(0);
    fleet.night(40);
    REQUIRE(back);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(13)});
    CHECK(says(event_of(fleet, "regression.mended"), "reverted by " + short_hash(35)));
    CHECK(says(issue_of(fleet), "reverted by `" + short_hash(35)));
    CHECK(fleet.count("nightly", "state = 'done'") == 2);
}

TEST_CASE(
    "A revert of what a merge brought is named where the merge is the culprit", "[scenario]") {
    World world{.seed = 7, .commits = 60, .noise = 0.01};
    world.branches = {{23, 12, {101, 102, 103, 104, 105, 106}}};
    world.changes = {
        {.commit = 23, .variant = "infer", .time = 1.25},
        {.commit = 47, .variant = "infer", .time = 1 / 1.25}};
    world.messages[47] = revert_of(104);
    Fleet fleet(world, ":memory:");
    for (const int commit : {0, 2, 4, 40, 42, 44, 50, 52}) fleet.night(commit);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(23)});
    REQUIRE(fleet.count("regression", "state = 'closed'") == 1);
    const auto body = issue_of(fleet);
    CAPTURE(body);
    CHECK(says(
        head_of(body),
        "by `" + short_hash(47) + "`, whose text says that it reverts the suspect `" +
            short_hash(104) + "`"));
}

TEST_CASE("What was asked about and is not back leaves no row", "[scenario]") {
    World world = reverted_world(4);
    world.changes[1].time = 1 / 1.13;  // nearer to the old level, and still worse
    Fleet fleet(world, ":memory:");
    play_tens(fleet, 0, 20);
    REQUIRE(fleet.count("suspicion", "asked = 'recovered'") > 0);
    CHECK(fleet.count("regression", "state = 'closed'") == 0);
    CHECK(fleet.count("mending") == 0);
}
