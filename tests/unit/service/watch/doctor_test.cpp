#include "service/watch/doctor.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr std::int64_t now_s = 1'795'229'100;
constexpr std::int64_t day_s = 86'400;

/// A disk that lost so much each day, and has `free` left.
std::vector<DiskDay> filling(std::int64_t a_day, std::int64_t free, int days = 10) {
    std::vector<DiskDay> all;
    for (int i = 0; i < days; ++i) all.push_back({20'000 - i, free + i * a_day});
    return all;
}

DoctorFacts healthy() {
    DoctorFacts facts;
    facts.now_s = now_s;
    facts.newest_event_s = now_s;
    facts.ledger_since_s = now_s - 30 * day_s;
    facts.free_bytes = 100'000'000'000;
    facts.disk_days = filling(1000, 100'000'000'000);
    facts.backup = NewestBackup{"vigil-20261120T000000Z", now_s - 3600, {}};
    facts.backup_due_s = 2 * day_s;
    facts.projects = {{.name = "json", .has_schedule = true, .last_night_s = now_s - day_s}};
    return facts;
}

/// The only finding.
DoctorFinding only(const DoctorFacts& facts) {
    const auto found = diagnose(facts);
    REQUIRE(found.size() == 1);
    CHECK_FALSE(found[0].remedy.empty());
    return found[0];
}

}  // namespace

TEST_CASE("A healthy daemon has no finding", "[service][watch]") {
    CHECK(diagnose(healthy()).empty());
    CHECK(diagnose({}).empty());  // nor has one that is new
}

TEST_CASE("A disk that fills is told two weeks before it is full", "[service][watch]") {
    const auto days = [](std::int64_t a_day, std::int64_t room) {
        return disk_days_left(filling(a_day, room), room);
    };
    CHECK(days(10, 100).value() == Approx(10));
    CHECK_FALSE(days(0, 100));
    CHECK_FALSE(days(-5, 100));
    CHECK_FALSE(disk_days_left(filling(10, 100, 6), 100));
    auto cleared = filling(10, 1000);
    cleared[3].free_bytes += 700;  // what was cleared on one day filled again by the next
    CHECK(disk_days_left(cleared, 1000).value() == Approx(100));

    auto facts = healthy();
    facts.free_bytes = 10'000'000'000;
    facts.disk_days = filling(1'000'000'000, 10'000'000'000);
    const auto finding = only(facts);
    CHECK(finding.kind == "disk.filling");
    CHECK(finding.badness == Badness::will_fail);
    CHECK_THAT(finding.message, Catch::Contains("full in about 10 days"));
    facts.ballast_bytes = 5'000'000'000;
    CHECK_THAT(only(facts).message, Catch::Contains("full in about 5 days"));
}

TEST_CASE("A clock that went back is told by the ledger's newest row", "[service][watch]") {
    auto facts = healthy();
    facts.newest_event_s = now_s + 60;  // another thread's second
    CHECK(diagnose(facts).empty());
    facts.newest_event_s = now_s + day_s;
    CHECK(only(facts).kind == "clock.behind");
}

TEST_CASE("Leases that do not end are told apart from long jobs", "[service][watch]") {
    auto facts = healthy();
    facts.held = {{JobId{41}, "xeon-3", now_s - 2 * day_s, -30}};
    auto finding = only(facts);
    CHECK(finding.kind == "lease.endless");
    CHECK(finding.badness == Badness::will_fail);
    CHECK(finding.since_s == now_s - 2 * day_s);
    CHECK_THAT(finding.remedy, Catch::Contains("vigil job cancel 41"));
    facts.held[0].overdue_s = 5000;
    finding = only(facts);
    CHECK(finding.kind == "lease.overdue");
    CHECK(finding.badness == Badness::failing);
}

TEST_CASE("Backups that are old, missing or not named are told", "[service][watch]") {
    auto facts = healthy();
    facts.backup->at_s = now_s - 3 * day_s;
    CHECK(only(facts).kind == "backup.old");
    facts.backup = NewestBackup{};
    CHECK(only(facts).kind == "backup.missing");
    facts.backup->fault = "Permission denied";
    CHECK_THAT(only(facts).message, Catch::Contains("Permission denied"));
    facts.backup.reset();
    const auto finding = only(facts);
    CHECK(finding.kind == "backup.unknown");
    CHECK_FALSE(needs_person(finding));
    facts.ledger_since_s = now_s - day_s;
    CHECK(diagnose(facts).empty());  // of a new ledger nobody expects any
    CHECK(backup_time_s("vigil-20261129T031500Z") == 1'795'922'100);
    CHECK_FALSE(backup_time_s("vigil-20261129T031500Z.partial"));
    CHECK_FALSE(backup_time_s("vigil-2026"));
}

TEST_CASE("A source that is silent is told once", "[service][watch]") {
    auto facts = healthy();
    facts.projects[0].last_night_s = now_s - 4 * day_s;
    CHECK(only(facts).kind == "source.silent");
    facts.projects[0].is_late = true;  // the trouble night.late tells it
    CHECK(diagnose(facts).empty());
    facts.projects[0] = {.name = "json", .last_night_s = 5};  // without a schedule
    CHECK(diagnose(facts).empty());
}

TEST_CASE("Series that nobody measures are one note of their project", "[service][watch]") {
    auto facts = healthy();
    for (int i = 1; i <= 4; ++i) {
        facts.projects[0].silent.push_back(
            {SeriesId{i}, "mlp", "infer", "xeon", "cpu_time_ns", now_s - i * day_s});
    }
    const auto finding = only(facts);
    CHECK(finding.kind == "series.silent");
    CHECK(finding.badness == Badness::note);
    CHECK(finding.since_s == now_s - 4 * day_s);
    CHECK_THAT(finding.message, Catch::Contains("4 series were") && Catch::Contains("; ..."));
}

TEST_CASE("Each other state has its finding, the worst first", "[service][watch]") {
    auto facts = healthy();
    facts.troubles = {
        {.kind = "class.no_workers", .subject = "class/xeon", .project = {}, .message = "why"},
        {.kind = "budget.spent", .subject = "project/json", .project = {}, .message = "why"},
        {.kind = "of.tomorrow", .subject = "thing/1", .project = {}, .message = "why"}};
    facts.given_up = {{"desk", 2, 31, now_s - day_s}};
    facts.workers = {{"xeon-3", "xeon", now_s - 2 * 3600}};
    facts.clocks = {{"xeon-4", -90}};
    facts.nights = {{NightlyId{12}, "json", "2026-11-20", "measuring", now_s - 5 * day_s}};
    facts.searches = {{BisectionId{7}, "json", "searching", now_s - 9 * day_s}};
    facts.tokens = {{"xeon-3", now_s + day_s}};
    facts.projects[0].nights_to_roll = 40;
    facts.ledger.faults = {"table job: a row refers to a project that is not there"};
    facts.content.lost = {Digest(std::string(64, 'a'))};
    facts.content.unknown = {Digest(std::string(64, 'b'))};
    std::string kinds;
    std::string notes;
    for (const auto& finding : diagnose(facts)) {
        (needs_person(finding) ? kinds : notes) += finding.kind + " ";
        CHECK_FALSE(finding.remedy.empty());
    }
    CHECK(
        kinds ==
        "ledger.damaged content.lost class.no_workers of.tomorrow outbox.dead night.endless "
        "search.endless worker.gone worker.clock token.ends retention.behind ");
    CHECK(notes == "content.unindexed budget.spent ");
}
