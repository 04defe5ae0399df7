#include "service/app/night_loops.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/report/notice_step.hpp"
#include "service/report/report_step.hpp"
#include "service/schedule/build_jobs.hpp"
#include "service/schedule/fire.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/leases.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/mutes.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/steady.hpp"
#include "service/store/troubles.hpp"
#include "service/watch/health_checks.hpp"
#include "service/watch/night/backfill.hpp"
#include "service/watch/night/nightlies.hpp"
#include "service/watch/quarantine.hpp"
#include "service/watch/requested/improvements.hpp"
#include "service/watch/requested/missed.hpp"
#include "service/watch/requested/pulls.hpp"
#include "service/watch/requested/requests.hpp"
#include "service/watch/requested/reverts.hpp"
#include "service/watch/search/breakage.hpp"
#include "service/watch/search/why.hpp"
#include "service/watch/series/series_records.hpp"
#include "service/watch/watch.hpp"

namespace vigil::service {

namespace {

using boost::asio::awaitable;

constexpr auto longest_sleep = std::chrono::seconds(1);
constexpr int max_moves_per_tick = 50;  // then other work gets its turn on the writer
constexpr int max_records_per_tick = 25;
constexpr int max_requests_per_tick = 100;
constexpr std::int64_t look_every_s = 10;
constexpr std::int64_t clock_step_s = 5;  // of one tick; less is no step
constexpr std::int64_t steady_stored_every_s = 60;
constexpr int max_logs = 8;  // before the loop looks around again

// What one of many rows throws is its own matter: it is logged, and the others go on.
void log_failure(const char* what, const std::string& subject, const std::string& why) {
    log_error(what, {{"subject", subject}, {"error", why}});
}

// The machine's matter (busy, full disk, a repository out of reach) is tried again at the next
// look; whatever else is wrong stays wrong.
bool is_passing(const std::exception& error) {
    const auto* ours = dynamic_cast<const Error*>(&error);
    return ours != nullptr && ours->code() == Errc::unavailable;
}

// A part of the tick that stands on every row: what stops it is told once, and the others go on.
void run_part(
    Database& db, const char* name, std::int64_t now_s, const std::function<void()>& part) {
    const auto failure = try_alone(db, part);
    const Trouble trouble{
        .kind = "tick.failed",
        .subject = std::string("tick/") + name,
        .project = std::nullopt,
        .message = std::string(name) + " are blocked: " + failure.value_or("")};
    set_trouble(db, trouble, failure.has_value(), now_s);
}

// The last lines of a file, each made one line of valid text.
std::string tail_of(const std::filesystem::path& file) {
    constexpr std::streamoff most_bytes = 16 * 1024;
    constexpr std::size_t most_lines = 20;
    constexpr std::size_t most_line_bytes = 1000;
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) return "";
    const std::streamoff size = in.tellg();
    in.seekg(std::max<std::streamoff>(size - most_bytes, 0));
    std::deque<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        line = text::first_bytes(text::lines(line), most_line_bytes);
        if (line.empty()) continue;
        lines.push_back(std::move(line));
        if (lines.size() > most_lines) lines.pop_front();
    }
    std::string tail;
    for (const auto& line : lines) tail += line + "\n";
    return tail;
}

}  // namespace

void NightLoops::wake() {
    pause_.wake();
    log_pause_.wake();
}

void NightLoops::stop() {
    stopping_ = true;
    wake();
}

awaitable<void> NightLoops::tick() {
    bool renewed = false;
    while (!stopping_) {
        try {
            if (!renewed) co_await renew();
            renewed = true;
            co_await tick_once();
        } catch (const std::exception& error) {
            log_failure("tick.failed", "tick", error.what());
        }
        if (!stopping_) co_await pause_.wait(longest_sleep);
    }
}

awaitable<void> NightLoops::renew() {
    const auto steady_s = clock_.steady_s();
    co_await writer_.run(
        [&](Database& db) { renew_leases(db, steady_s + config_.now().jobs.lease_ttl_s); });
}

// Workers are seen by the time of day: after a start, and after somebody set the clock, they are
// given the time to show themselves before anyone is called missing.
bool NightLoops::may_look(const Moment& now) {
    const auto clock_s = now.now_s - now.steady_s;
    if (!clock_s_ || std::abs(clock_s - *clock_s_) > clock_step_s) {
        next_look_s_ = now.steady_s + hearing_s(config_.now().jobs);
    }
    clock_s_ = clock_s;
    if (now.steady_s < next_look_s_) return false;
    next_look_s_ = now.steady_s + look_every_s;
    return true;
}

awaitable<void> NightLoops::tick_once() {
    const auto now = clock_.moment();
    const auto now_s = now.now_s;
    const Config& config = config_.now();
    const bool stores = now.steady_s >= stored_steady_s_ + steady_stored_every_s;
    const bool looks = may_look(now);
    std::vector<NightlyId> open;
    std::vector<RequestId> asked;
    co_await writer_.run([&](Database& db) {
        if (stores) store_steady_s(db, now.steady_s);
        run_part(db, "schedules", now_s, [&] { fire_schedules(db, config, now_s); });
        run_part(db, "polls", now_s, [&] { fire_polls(db, config, now_s); });
        run_part(db, "leases", now_s, [&] { expire_leases(db, config.jobs, now); });
        run_part(db, "waiting jobs", now_s, [&] { cancel_unclaimed(db, config, now); });
        run_part(db, "mutes", now_s, [&] { end_due_mutes(db, now_s); });
        if (looks) run_part(db, "troubles", now_s, [&] { check_health(db, config, now_s); });
        open = list_open_nightlies(db);
        asked = list_open_requests(db, max_requests_per_tick);
    });
    if (stores) stored_steady_s_ = now.steady_s;
    bool moved = false;
    co_await writer_.run([&](Database& db) {
        run_part(db, "backfills", now_s, [&] { moved = advance_backfills(db, config, now_s); });
        run_part(db, "builds", now_s, [&] {
            if (plan_builds(db, config, now_s) > 0) moved = true;
        });
    });
    for (const auto nightly : open) {
        const bool one = co_await advance_night(nightly, now_s);
        moved = moved || one;
    }
    std::erase_if(working_, [&](NightlyId one) {
        return std::find(open.begin(), open.end(), one) == open.end();
    });
    std::erase_if(working_requests_, [&](RequestId one) {
        return std::find(asked.begin(), asked.end(), one) == asked.end();
    });
    for (const auto request : asked) {
        co_await advance_requested(request, now_s);
    }
    co_await writer_.run([&](Database& db) {
        run_part(db, "missed", now_s, [&] { settle_missed(db, config, now_s); });
        run_part(db, "improvements", now_s, [&] { settle_improvements(db, now_s); });
        run_part(db, "whys", now_s, [&] { advance_whys(db, config, now_s); });
        run_part(db, "reverts", now_s, [&] { advance_reverts(db, config, now_s); });
        run_part(db, "reports", now_s, [&] { report_step(db, config, now_s); });
        run_part(db, "pull requests", now_s, [&] { advance_pulls(db, now_s); });
        run_part(db, "notices", now_s, [&] { notice_step(db, config, now_s); });
    });
    co_await writer_.run([&](Database& db) {
        run_part(db, "records", now_s, [&] { remake_records(db, config, max_records_per_tick); });
    });
    co_await writer_.run([&](Database& db) { events_.tell_new(db); });
    if (moved || !open.empty() || !asked.empty()) on_moved();
    if (moved) on_wishes();
}

// As a night's: one whose step has worked since the start is not counted.
awaitable<void> NightLoops::advance_requested(RequestId request, std::int64_t now_s) {
    const Config& config = config_.now();
    const bool counted = !working_requests_.contains(request);
    bool may = true;
    if (counted) {
        co_await writer_.run([&](Database& db) { may = begin_try(db, request, now_s); });
    }
    if (!may) co_return;
    bool worked = true;
    try {
        co_await writer_.run([&](Database& db) { advance_request(db, config, request, now_s); });
    } catch (const std::exception& error) {
        log_failure("request.stuck", "request/" + to_string(request), error.what());
        working_requests_.erase(request);
        if (!is_passing(error)) co_return;
        worked = false;
    }
    if (counted) co_await writer_.run([&](Database& db) { end_tries(db, request); });
    if (worked) working_requests_.insert(request);
}

awaitable<bool> NightLoops::move_night(NightlyId nightly, std::int64_t now_s) {
    const Config& config = config_.now();
    bool moved = false;
    for (int moves = 0; moves < max_moves_per_tick; ++moves) {
        bool again = false;
        co_await writer_.run(
            [&](Database& db) { again = advance_nightly(db, config, nightly, now_s); });
        if (!again) break;
        moved = true;
    }
    co_return moved;
}

// A night whose step has worked since the start is not counted: only what may kill the daemon at
// every start costs a row.
awaitable<bool> NightLoops::advance_night(NightlyId nightly, std::int64_t now_s) {
    const bool counted = !working_.contains(nightly);
    std::string why;
    try {
        bool may = true;
        if (counted) {
            co_await writer_.run([&](Database& db) { may = begin_try(db, nightly, now_s); });
        }
        if (!may) co_return true;
        const bool moved = co_await move_night(nightly, now_s);
        if (counted) co_await writer_.run([&](Database& db) { end_tries(db, nightly); });
        working_.insert(nightly);
        waiting_.erase(nightly);
        co_return moved;
    } catch (const std::exception& error) {
        const auto subject = "nightly/" + to_string(nightly);
        if (!is_passing(error)) {
            why = error.what();
            log_failure("night.stuck", subject, why);
        } else if (waiting_.insert(nightly).second) {
            log_warn("night.waits", {{"subject", subject}, {"error", error.what()}});
        }
    }
    try {
        co_await writer_.run([&](Database& db) {
            why.empty() ? end_tries(db, nightly) : fail_try(db, nightly, counted, why, now_s);
        });
        if (!why.empty()) working_.erase(nightly);
    } catch (const std::exception& error) {
        log_failure("night.stuck", "nightly/" + to_string(nightly), error.what());
    }
    co_return !why.empty();
}

awaitable<void> NightLoops::logs() {
    while (!stopping_) {
        bool moved = false;
        try {
            moved = co_await supply_logs();
        } catch (const std::exception& error) {
            log_failure("logs.failed", "logs", error.what());
        }
        if (moved) {
            wake();
        } else if (!stopping_) {
            co_await log_pause_.wait(longest_sleep);
        }
    }
}

awaitable<bool> NightLoops::supply_logs() {
    std::vector<MissingLog> missing;
    co_await writer_.run([&](Database& db) { missing = list_missing_logs(db, max_logs); });
    for (const auto& wanted : missing) {
        std::string tail;
        try {
            if (wanted.log) {
                co_await content_.run(
                    [&](ContentStore& store) { tail = tail_of(store.path(*wanted.log)); });
            }
        } catch (const std::exception& error) {  // the report goes out without its last lines
            log_failure("log.unreadable", "bisection/" + to_string(wanted.bisection), error.what());
        }
        const auto now_s = clock_.now_s();
        co_await writer_.run(
            [&](Database& db) { record_log_tail(db, wanted.bisection, tail, now_s); });
    }
    co_return !missing.empty();
}

}  // namespace vigil::service
