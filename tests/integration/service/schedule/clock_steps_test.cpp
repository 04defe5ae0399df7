#include <map>

#include <catch2/catch.hpp>
#include <date/tz.h>

#include "schema/model/error.hpp"
#include "service/config/cron.hpp"
#include "service/schedule/fire.hpp"
#include "service/schedule/leases.hpp"
#include "service/schedule/trigger.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"
#include "service/store/steady.hpp"
#include "tests/support/job_scene.hpp"

// A wall clock that is set while the daemon runs: only what people read may follow it.

namespace vigil::service {
namespace {

constexpr std::int64_t one_hour_s = 3600;
constexpr std::int64_t one_day_s = 24 * one_hour_s;

std::int64_t some_step() {
    return GENERATE(values<std::int64_t>(
        {one_hour_s,
         -one_hour_s,
         25 * one_hour_s,
         -25 * one_hour_s,
         365 * one_day_s,
         -365 * one_day_s}));
}

TEST_CASE("A clock that is set takes no lease away", "[service][schedule]") {
    test::JobScene scene;
    scene.add_job({scene.add_build()});
    const std::int64_t begin_s = scene.now_s;
    const JobConfig& rules = scene.config.jobs;
    const Moment claimed(begin_s, begin_s);
    const auto lease = claim_job(scene.db, scene.config, scene.one, claimed);
    REQUIRE(lease);
    const Moment stepped(begin_s + some_step() + 10, begin_s + 10);
    CHECK(expire_leases(scene.db, rules, stepped) == 0);
    CHECK_FALSE(heartbeat(scene.db, rules, lease->job, 1, scene.one, "", stepped).cancel);
    // A dead worker is still noticed after its term.
    const Moment later(stepped.now_s, begin_s + 10 + rules.lease_ttl_s);
    CHECK(expire_leases(scene.db, rules, later) == 1);
}

TEST_CASE("A clock that is set gives up no job that waits", "[service][schedule]") {
    test::JobScene scene;
    const auto job = scene.add_job({scene.add_build()});
    const std::int64_t begin_s = scene.now_s;
    CHECK(cancel_unclaimed(scene.db, scene.config, Moment(begin_s, begin_s)) == 0);
    const std::int64_t step_s = some_step();
    CHECK(cancel_unclaimed(scene.db, scene.config, Moment(begin_s + step_s, begin_s + 10)) == 0);
    CHECK(
        cancel_unclaimed(
            scene.db, scene.config, Moment(begin_s + step_s, begin_s + one_day_s - 1)) == 0);
    CHECK(
        cancel_unclaimed(scene.db, scene.config, Moment(begin_s + step_s, begin_s + one_day_s)) ==
        1);
    CHECK(scene.db.find<std::string>("SELECT state FROM job WHERE id = ?1", job) == "cancelled");
}

TEST_CASE(
    "A push that came while the clock was ahead does not wait for it", "[service][schedule]") {
    test::JobScene scene;
    const std::int64_t begin_s = scene.now_s;
    const auto push = [&](const std::string& key, std::int64_t at_s) {
        return request_nightly(
            scene.db, scene.project, TriggerCause::delivery, "delivery:" + key, {}, at_s);
    };
    push("a", begin_s + std::abs(some_step()));
    CHECK(take_due_triggers(scene.db, 10, begin_s + 5).size() == 1);
    const auto newer = push("b", begin_s + 6);
    const auto due = take_due_triggers(scene.db, 10, begin_s + 16);
    REQUIRE(due.size() == 1);
    CHECK(due[0].id == newer);
}

TEST_CASE("A job that comes back to the queue waits anew", "[service][schedule]") {
    test::JobScene scene;
    scene.add_job({scene.add_build()});
    const std::int64_t begin_s = scene.now_s;
    cancel_unclaimed(scene.db, scene.config, begin_s);
    REQUIRE(claim_job(scene.db, scene.config, scene.one, begin_s + one_day_s - 10));
    CHECK(expire_leases(scene.db, scene.config.jobs, begin_s + 2 * one_day_s) == 1);
    CHECK(cancel_unclaimed(scene.db, scene.config, begin_s + 2 * one_day_s) == 0);
}

TEST_CASE("A job for one worker does not wait a day for it to come back", "[service][schedule]") {
    test::JobScene scene;
    const auto job = scene.add_job({scene.add_build()});
    scene.db.execute("UPDATE job SET only_worker_id = ?1", scene.two);
    const auto other = scene.add_job({scene.add_build()});
    const std::int64_t begin_s = scene.now_s;
    CHECK(cancel_unclaimed(scene.db, scene.config, begin_s) == 0);
    CHECK(cancel_unclaimed(scene.db, scene.config, begin_s + one_hour_s - 1) == 0);
    scene.now_s = begin_s + one_hour_s;
    scene.show("two");
    CHECK(cancel_unclaimed(scene.db, scene.config, scene.now_s) == 0);
    CHECK(cancel_unclaimed(scene.db, scene.config, scene.now_s + worker_silent_after_s) == 1);
    CHECK(
        scene.db.find<std::string>("SELECT message FROM job WHERE state = 'cancelled'") ==
        "worker two, which alone may do it, is not there and did not do it within an hour");
    CHECK(scene.state(job) == JobState::cancelled);
    CHECK(scene.state(other) == JobState::queued);
}

TEST_CASE("A clock that is set takes no job from a busy worker", "[service][schedule]") {
    test::JobScene scene;
    const auto busy_with = scene.add_job({scene.add_build()}, 20);
    const auto job = scene.add_job({scene.add_build()});
    scene.db.execute("UPDATE job SET only_worker_id = ?1", scene.two);
    const std::int64_t begin_s = scene.now_s;
    cancel_unclaimed(scene.db, scene.config, begin_s);
    REQUIRE(scene.claim(scene.two)->job == busy_with);
    const Moment stepped(begin_s + one_hour_s + some_step(), begin_s + one_hour_s);
    CHECK(cancel_unclaimed(scene.db, scene.config, stepped) == 0);
    CHECK(scene.state(job) == JobState::queued);
}

TEST_CASE("Leases begin anew when a daemon begins", "[service][schedule]") {
    test::JobScene scene;
    scene.add_job({scene.add_build()});
    const std::int64_t begin_s = scene.now_s;
    REQUIRE(claim_job(scene.db, scene.config, scene.one, begin_s));
    const std::int64_t stored_s = begin_s - 30;  // it was stored a while before the end
    CHECK(renew_leases(scene.db, stored_s + scene.config.jobs.lease_ttl_s) == 1);
    const auto ttl_s = scene.config.jobs.lease_ttl_s;
    CHECK(expire_leases(scene.db, scene.config.jobs, stored_s + ttl_s - 1) == 0);
    CHECK(expire_leases(scene.db, scene.config.jobs, stored_s + ttl_s) == 1);
}

TEST_CASE("The steady time counts what was looked at, and never goes back", "[service][runtime]") {
    constexpr std::int64_t second_ns = 1'000'000'000;
    SteadyCount count(1000, 50 * second_ns);
    CHECK(count.steady_s() == 1000);
    for (int i = 1; i <= 20; ++i) count.look((50 + i) * second_ns);
    CHECK(count.steady_s() == 1020);
    count.look(40 * second_ns);
    CHECK(count.steady_s() == 1020);
    count.look(41 * second_ns);
    CHECK(count.steady_s() == 1021);
    count.look(41 * second_ns + 3600 * second_ns);  // nobody looked for an hour
    CHECK(count.steady_s() == 1021 + SteadyCount::longest_gap_ns / second_ns);
}

TEST_CASE("The ledger keeps the steady time", "[service][store]") {
    test::JobScene scene;
    store_steady_s(scene.db, 77);
    CHECK(load_steady_s(scene.db) == 77);
}

// Ticks of ten minutes over the days around both switches, with clocks that are set in between.
TEST_CASE("Each civil date has its night once, through steps and switches", "[service][schedule]") {
    const auto zone = GENERATE(values<std::string>(
        {"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago"}));
    const auto begins = GENERATE(values<std::int64_t>({
        1'774'310'400,  // 2026-03-24
        1'792'540'800,  // 2026-10-21
    }));
    const std::int64_t step_s = some_step() / 10 * 10;
    auto db = Database::open_writer(":memory:");
    migrate(db);
    Config config;
    config.projects["demo"].schedule = ScheduleConfig{"30 2 * * *", zone};
    constexpr int days = 14;
    const bool short_step = std::abs(step_s) < 30 * one_day_s;
    for (std::int64_t at_s = begins; at_s < begins + days * one_day_s; at_s += 600) {
        fire_schedules(db, config, at_s);
        // Wrong for half an hour, on the fifth and on the ninth day.
        const auto since_s = (at_s - begins) % (4 * one_day_s);
        const bool wrong = at_s > begins + 4 * one_day_s && since_s < 1800;
        if (wrong) fire_schedules(db, config, at_s + step_s);
    }
    std::map<std::string, int> nights;
    auto rows = db.query("SELECT cause_key FROM trigger_request");
    while (rows.next()) {
        const auto key = rows.get<std::string>(0);
        const std::chrono::seconds due(std::stoll(key.substr(key.find(':') + 1)));
        const auto local = date::locate_zone(zone)->to_local(date::sys_seconds(due));
        ++nights[date::format("%F", local)];
    }
    for (const auto& [day, count] : nights) {
        CAPTURE(zone, day, step_s);
        CHECK(count == 1);
    }
    CAPTURE(zone, begins, step_s);
    // None is missing; a clock far ahead names a date of its own.
    const auto expected = static_cast<std::size_t>(days);
    CHECK(nights.size() >= expected);
    if (short_step) CHECK(nights.size() == expected);
}

}  // namespace
}  // namespace vigil::service
