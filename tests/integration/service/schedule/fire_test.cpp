#include "service/schedule/fire.hpp"

#include <catch2/catch.hpp>

#include "service/schedule/trigger.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"

namespace vigil::service {
namespace {

constexpr std::int64_t midnight_s = 1'763'164'800;  // 2025-11-15 00:00 UTC
constexpr std::int64_t hour_s = 3600;
constexpr std::int64_t day_s = 24 * hour_s;
constexpr std::int64_t due_s = midnight_s + 3 * hour_s;

struct Ledger {
    Database db = Database::open_writer(":memory:");
    Config config;

    Ledger() {
        migrate(db);
        schedule("0 3 * * *");
    }
    void schedule(const std::string& cron, const std::string& zone = "UTC") {
        config.projects["demo"].schedule = ScheduleConfig{cron, zone};
    }
    int fire(std::int64_t now_s) { return fire_schedules(db, config, now_s); }
    std::int64_t count(const std::string& sql) { return db.find<std::int64_t>(sql).value(); }
    std::int64_t triggers() { return count("SELECT count(*) FROM trigger_request"); }
    std::int64_t events(std::string_view kind) {
        return db.find<std::int64_t>("SELECT count(*) FROM event WHERE kind = ?1", kind).value();
    }
    std::string last_event() {
        return db.find<std::string>("SELECT message FROM event ORDER BY id DESC LIMIT 1").value();
    }
};

TEST_CASE("A schedule that is new starts from now", "[service][schedule]") {
    Ledger ledger;
    CHECK(ledger.fire(due_s + 10) == 0);
    CHECK(ledger.fire(due_s + 20) == 0);
    CHECK(ledger.fire(due_s + day_s - 1) == 0);
    CHECK(ledger.fire(due_s + day_s) == 1);
    CHECK(ledger.triggers() == 1);
}

TEST_CASE("A new schedule can ask at once, and never again", "[service][schedule]") {
    Ledger ledger;
    ledger.config.projects["demo"].schedule->at_start = true;
    CHECK(ledger.fire(midnight_s) == 1);
    CHECK(ledger.fire(midnight_s + 1) == 0);
    CHECK(ledger.fire(due_s + 1) == 1);
    CHECK(ledger.triggers() == 2);
}

TEST_CASE("A time that comes asks once, by its own key", "[service][schedule]") {
    Ledger ledger;
    ledger.fire(midnight_s);
    CHECK(ledger.fire(due_s - 1) == 0);
    CHECK(ledger.fire(due_s + 1) == 1);
    CHECK(ledger.fire(due_s + 1) == 0);
    CHECK(ledger.fire(due_s + 2) == 0);
    CHECK(ledger.events("schedule.missed") == 0);
    const auto project = ensure_project(ledger.db, "demo", 0);
    const auto trigger = find_trigger(ledger.db, project, "schedule:" + std::to_string(due_s));
    REQUIRE(trigger);
    CHECK(trigger->cause == TriggerCause::schedule);
    CHECK_FALSE(trigger->wanted);
}

TEST_CASE("A time missed while down runs once, and says so", "[service][schedule]") {
    Ledger ledger;
    ledger.fire(midnight_s);
    CHECK(ledger.fire(due_s + 5 * hour_s) == 1);
    CHECK(ledger.events("schedule.missed") == 1);
    CHECK_THAT(
        ledger.last_event(), Catch::Contains("missed 1 scheduled time, the last one 18000 s"));
}

TEST_CASE("Several missed times run once together, as the last one", "[service][schedule]") {
    Ledger ledger;
    ledger.fire(midnight_s);
    CHECK(ledger.fire(due_s + 9 * day_s + hour_s) == 1);
    CHECK_THAT(ledger.last_event(), Catch::Contains("missed 10 scheduled times"));
    CHECK(
        ledger.db.find<std::string>("SELECT cause_key FROM trigger_request") ==
        "schedule:" + std::to_string(due_s + 9 * day_s));
    CHECK(ledger.fire(due_s + 10 * day_s) == 1);
    CHECK(ledger.events("schedule.missed") == 1);
}

TEST_CASE("A year of missed minutes is not walked minute by minute", "[service][schedule]") {
    Ledger ledger;
    ledger.schedule("* * * * *");
    ledger.fire(midnight_s);
    CHECK(ledger.fire(midnight_s + 365 * day_s + 30) == 1);
    CHECK_THAT(ledger.last_event(), Catch::Contains("at least 1000 scheduled times"));
    CHECK(
        ledger.db.find<std::string>("SELECT cause_key FROM trigger_request") ==
        "schedule:" + std::to_string(midnight_s + 365 * day_s));
}

TEST_CASE("A clock that jumps back asks for nothing twice", "[service][schedule]") {
    Ledger ledger;
    ledger.fire(midnight_s);
    CHECK(ledger.fire(due_s + 1) == 1);
    CHECK(ledger.fire(due_s - 2 * hour_s) == 0);
    CHECK(ledger.events("schedule.clock_went_back") == 1);
    CHECK(ledger.fire(due_s + 1) == 0);
    CHECK(ledger.triggers() == 1);
    CHECK(ledger.fire(due_s + day_s) == 1);
}

TEST_CASE("A clock that ran years ahead does not silence the nights after", "[service][schedule]") {
    Ledger ledger;
    ledger.fire(midnight_s);
    CHECK(ledger.fire(midnight_s + 2000 * day_s) == 1);
    CHECK(ledger.fire(midnight_s + hour_s) == 0);
    CHECK(ledger.fire(due_s) == 1);
}

TEST_CASE("A changed schedule starts from now", "[service][schedule]") {
    Ledger ledger;
    ledger.fire(midnight_s);
    CHECK(ledger.fire(due_s) == 1);
    ledger.schedule("0 2 * * *");
    CHECK(ledger.fire(due_s + hour_s) == 0);
    CHECK(ledger.events("schedule.changed") == 1);
    CHECK(ledger.fire(due_s + day_s - hour_s) == 1);
    CHECK(ledger.fire(due_s + day_s) == 0);
}

TEST_CASE("A change of the time zone is a change", "[service][schedule]") {
    Ledger ledger;
    ledger.fire(midnight_s);
    ledger.schedule("0 3 * * *", "Europe/Berlin");
    CHECK(ledger.fire(midnight_s + 1) == 0);
    CHECK(ledger.fire(midnight_s + 2 * hour_s) == 1);  // 03:00 there
}

TEST_CASE("What the old schedule missed while down still runs", "[service][schedule]") {
    Ledger ledger;
    ledger.fire(midnight_s);
    ledger.schedule("0 23 * * *");
    CHECK(ledger.fire(due_s + hour_s) == 1);
    CHECK(ledger.events("schedule.missed") == 1);
    CHECK(ledger.fire(midnight_s + 23 * hour_s) == 1);
}

TEST_CASE("A schedule that is taken away and put back starts anew", "[service][schedule]") {
    Ledger ledger;
    ledger.fire(midnight_s);
    ledger.config.projects["demo"].schedule.reset();
    CHECK(ledger.fire(due_s + hour_s) == 0);
    CHECK(ledger.events("schedule.removed") == 1);
    ledger.schedule("0 3 * * *");
    CHECK(ledger.fire(due_s + 5 * day_s + 1) == 0);
    CHECK(ledger.fire(due_s + 6 * day_s) == 1);
}

TEST_CASE("A tick with nothing due writes nothing", "[service][schedule]") {
    Ledger ledger;
    ledger.fire(midnight_s);
    const auto before = ledger.count("SELECT total_changes()");
    ledger.fire(midnight_s + 60);
    ledger.fire(midnight_s + 120);
    CHECK(ledger.count("SELECT total_changes()") == before);
}

TEST_CASE("Each project follows its own schedule", "[service][schedule]") {
    Ledger ledger;
    ledger.config.projects["other"].schedule = ScheduleConfig{"0 4 * * *", "UTC"};
    ledger.config.projects["asked"] = ProjectConfig{};
    ledger.fire(midnight_s);
    CHECK(ledger.fire(due_s) == 1);
    CHECK(ledger.fire(due_s + hour_s) == 1);
    CHECK(ledger.fire(due_s + day_s + hour_s) == 2);
    CHECK(ledger.triggers() == 4);
}

TEST_CASE("What a webhook missed is found by polling", "[service][schedule]") {
    Ledger ledger;
    ledger.config.projects["demo"].schedule.reset();
    ledger.config.projects["far"].source.kind = SourceKind::elsewhere;
    ledger.config.webhook = WebhookConfig{
        "secret", {{"owner/name", "demo"}, {"owner/other", "demo"}, {"owner/far", "far"}}};
    const auto poll = [&](std::int64_t now_s) {
        return fire_polls(ledger.db, ledger.config, now_s);
    };
    CHECK(poll(midnight_s) == 0);  // nothing has ever asked
    for (const auto* name : {"demo", "far"}) {
        const auto project = ensure_project(ledger.db, name, midnight_s);
        request_nightly(
            ledger.db, project, TriggerCause::delivery, "delivery:a", std::nullopt, midnight_s);
    }
    CHECK(poll(midnight_s + hour_s - 1) == 0);
    CHECK(poll(midnight_s + hour_s) == 1);
    CHECK(poll(midnight_s + hour_s + 1) == 0);
    CHECK(ledger.count("SELECT count(*) FROM trigger_request WHERE cause_key LIKE 'poll:%'") == 1);
    CHECK(poll(midnight_s - day_s) == 1);  // the clock went back
    CHECK(poll(midnight_s - day_s + 1) == 0);
    ledger.config.webhook->poll_s = 0;
    CHECK(poll(midnight_s + day_s) == 0);
}

}  // namespace
}  // namespace vigil::service
