#include "service/watch/requested/improvements.hpp"

#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "service/report/facts/night_facts.hpp"
#include "service/report/report_step.hpp"
#include "service/store/findings/improvements.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

// A night that got better: its commit is searched within a budget, and told once.

using namespace vigil;
using namespace vigil::service;
using tests::Fleet;
using tests::World;

namespace {

World faster_from_43(unsigned seed) {
    return {
        .seed = seed,
        .commits = 100,
        .variants = {"infer", "train"},
        .changes = {
            {.commit = 43, .variant = "infer", .time = 0.8},
            {.commit = 43, .variant = "train", .time = 0.85}}};
}

void play_improving(Fleet& fleet, int probes, int last = 50) {
    fleet.config().projects.at("lab").search.improvements = probes;
    for (int commit = 0; commit <= last; commit += 10) fleet.night(commit);
}

void write_reports(Fleet& fleet) {
    while (report_step(fleet.db(), fleet.config(), fleet.now_s()) > 0) continue;
}

std::string night_summary_of(Fleet& fleet, int nightly) {
    return fleet.db()
        .find<std::string>(
            "SELECT body FROM report WHERE nightly_id = ?1 AND kind = 'night' "
            "ORDER BY version DESC LIMIT 1",
            NightlyId{nightly})
        .value_or("");
}

constexpr const char* its_search_jobs =
    "session_id IN (SELECT id FROM session WHERE request_id IS NOT NULL) OR probe_id IN (SELECT "
    "p.id FROM probe p JOIN bisection b ON b.id = p.bisection_id WHERE b.kind = 'asked')";

}  // namespace

TEST_CASE("The commit that improved a night is searched and told", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    Fleet fleet(faster_from_43(seed), ":memory:");
    play_improving(fleet, 40);
    REQUIRE(fleet.count("suspicion", "verdict = 'improvement'") == 2);
    REQUIRE(fleet.count("improvement") == 1);
    const auto told = list_night_improvements(fleet.db(), NightlyId{6}).at(0);
    CAPTURE(told.message);
    CHECK(told.culprit.str() == fleet.revision(43));
    CHECK(told.subject == "commit 43");
    CHECK(told.variant == "infer");
    CHECK(told.others == 1);
    CHECK(told.verified.change_ratio == Approx(-0.2).margin(0.05));
    CHECK(fleet.count("request", "token = 'vigild' AND state = 'done'") == 1);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("probe") <= 40);
    // Everything else goes first.
    CHECK(fleet.count("job", its_search_jobs) > 1);
    CHECK(fleet.count("job", "priority = 8") == fleet.count("job", its_search_jobs));
    write_reports(fleet);
    const auto body = night_summary_of(fleet, 6);
    CHECK_THAT(body, Catch::Contains("### Improvements"));
    CHECK_THAT(body, Catch::Contains("1 more series moved with it"));
    CHECK_THAT(
        body, Catch::Contains("by `" + fleet.revision(43).substr(0, 10) + "` `commit 43`, -"));
    CHECK(fleet.count("report", "kind = 'regression'") == 0);
    // The next night tells nothing of it again.
    fleet.night(60);
    write_reports(fleet);
    CHECK_THAT(night_summary_of(fleet, 7), !Catch::Contains("### Improvements"));
    CHECK(fleet.count("request") == 1);
}

TEST_CASE("What ends after its night's summary is told by the next one, once", "[scenario]") {
    Fleet fleet(faster_from_43(4), ":memory:");
    const char* const searched = "ended_at_s IS NULL";
    fleet.kill = [&] {
        if (fleet.count("improvement", searched) > 0) write_reports(fleet);
        return false;
    };
    play_improving(fleet, 40);
    REQUIRE(fleet.count("improvement", "culprit IS NOT NULL") == 1);
    write_reports(fleet);
    CHECK_THAT(night_summary_of(fleet, 6), Catch::Contains("its commit is being searched"));
    CHECK_THAT(night_summary_of(fleet, 6), Catch::Contains("request 1"));
    fleet.night(60);
    write_reports(fleet);
    CHECK_THAT(night_summary_of(fleet, 7), Catch::Contains("in the night of `2026-01-06`"));
    CHECK_THAT(night_summary_of(fleet, 7), Catch::Contains("`commit 43`"));
    fleet.night(70);
    write_reports(fleet);
    CHECK_THAT(night_summary_of(fleet, 8), !Catch::Contains("### Improvements"));
    CHECK(fleet.count("improvement", "told_nightly_id = 7") == 1);
}

TEST_CASE("Without probes for it nothing that got better is searched", "[scenario]") {
    Fleet fleet(faster_from_43(5), ":memory:");
    play_improving(fleet, 0);
    CHECK(fleet.count("suspicion", "verdict = 'improvement'") == 2);
    CHECK(fleet.count("improvement") == 0);
    CHECK(fleet.count("request") == 0);
    write_reports(fleet);
    CHECK_THAT(night_summary_of(fleet, 6), !Catch::Contains("### Improvements"));
}

TEST_CASE("A search that spends its probes is told as not known", "[scenario]") {
    Fleet fleet(faster_from_43(6), ":memory:");
    play_improving(fleet, 1);
    CHECK(fleet.count("improvement", "culprit IS NULL AND ended_at_s IS NOT NULL") == 1);
    CHECK(fleet.count("probe") == 1);
    write_reports(fleet);
    CHECK_THAT(night_summary_of(fleet, 6), Catch::Contains("its commit is not known: "));
    CHECK_THAT(night_summary_of(fleet, 6), Catch::Contains("all 1 probes are spent"));
}

TEST_CASE("Where single revisions cannot be built nothing is asked", "[scenario]") {
    auto world = faster_from_43(7);
    world.archives = true;
    Fleet fleet(world, ":memory:");
    fleet.config().projects.at("lab").source_recipe.reset();
    play_improving(fleet, 40);
    CHECK(fleet.count("request") == 0);
    REQUIRE(fleet.count("improvement", "request_id IS NULL AND others = 1") == 1);
    write_reports(fleet);
    CHECK_THAT(night_summary_of(fleet, 6), Catch::Contains("source\\_recipe is not set"));
}

TEST_CASE("What people asked for keeps improvements waiting for another night", "[scenario]") {
    Fleet fleet(faster_from_43(10), ":memory:");
    play_improving(fleet, 40, 40);
    const auto project = load_nightly(fleet.db(), NightlyId{5}).project;
    NewRequest wanted;
    wanted.project = project;
    wanted.a = wanted.b = "no such name";
    fleet.kill = [&] {
        if (fleet.count("suspicion", "state = 'confirming'") == 0) return false;
        while (fleet.count("request", "state = 'naming'") < 50) {
            add_request(fleet.db(), wanted, fleet.now_s());
        }
        return false;
    };
    fleet.night(50);
    CHECK(fleet.count("request", "token = 'vigild'") == 0);
    CHECK(fleet.count("improvement", "message LIKE '50 requests wait%'") == 1);
}

TEST_CASE("A night's improvements are looked at once, kills or not", "[scenario]") {
    const auto seed = GENERATE(8u, 9u);
    CAPTURE(seed);
    const test::ScratchFolder folder;
    Fleet fleet(faster_from_43(seed), folder / "ledger");
    std::mt19937 random(seed);
    fleet.kill = [&] { return std::uniform_int_distribution<int>(0, 3)(random) == 0; };
    play_improving(fleet, 40);
    CHECK(fleet.kills() > 20);
    CHECK(fleet.count("request") == 1);
    REQUIRE(fleet.count("improvement") == 1);
    CHECK(fleet.count("improvement", "culprit IS NOT NULL") == 1);
    const auto nightly = load_nightly(fleet.db(), NightlyId{6});
    const auto& project = fleet.config().projects.at("lab");
    search_improvements(fleet.db(), project, nightly, fleet.now_s());
    settle_improvements(fleet.db(), fleet.now_s());
    CHECK(fleet.count("request") == 1);
    CHECK(fleet.count("improvement") == 1);
}
