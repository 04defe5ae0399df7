#include "service/app/night_loops.hpp"

#include <algorithm>
#include <chrono>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "service/report/store_report.hpp"
#include "service/schedule/fire.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/trigger.hpp"
#include "service/store/alone.hpp"
#include "service/store/content_index.hpp"
#include "service/store/ids.hpp"
#include "service/store/troubles.hpp"
#include "service/watch/bisect.hpp"
#include "service/watch/breakage.hpp"
#include "service/watch/builds.hpp"
#include "service/watch/look_out.hpp"
#include "service/watch/nightlies.hpp"
#include "service/watch/set_aside.hpp"
#include "service/watch/watch.hpp"

namespace vigil::service {

namespace {

using boost::asio::awaitable;

constexpr auto longest_sleep = std::chrono::seconds(1);
constexpr int max_moves_per_tick = 50;  // then other work gets its turn on the writer
constexpr std::int64_t look_every_s = 10;
constexpr int max_supplies = 8;  // of a kind, before the loop looks around again

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
    Database& db, const char* name, const std::function<void()>& part, std::int64_t now_s) {
    const auto failure = try_alone(db, part);
    const Trouble trouble{
        .kind = "tick.failed",
        .subject = std::string("tick/") + name,
        .project = std::nullopt,
        .message = std::string(name) + " stand still: " + failure.value_or("")};
    failure ? note_trouble(db, trouble, now_s)
            : end_trouble(db, trouble.kind, trouble.subject, now_s);
}

}  // namespace

NightLoops::NightLoops(
    boost::asio::io_context& io,
    const LiveConfig& config,
    const Clock& clock,
    WriterLane& writer,
    Lane<Repositories>& repositories)
    : config_(config),
      clock_(clock),
      writer_(writer),
      repositories_(repositories),
      tick_timer_(io),
      supply_timer_(io) {}

void NightLoops::wake() {
    tick_timer_.cancel();
    supply_timer_.cancel();
}

void NightLoops::stop() {
    stopping_ = true;
    wake();
}

awaitable<void> NightLoops::wait(boost::asio::steady_timer& timer) {
    boost::system::error_code ignored;  // cancelled: woken early
    timer.expires_after(longest_sleep);
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
}

awaitable<void> NightLoops::tick() {
    while (!stopping_) {
        try {
            co_await tick_once();
        } catch (const std::exception& error) {
            log_failure("tick.failed", "tick", error.what());
        }
        if (!stopping_) co_await wait(tick_timer_);
    }
}

awaitable<void> NightLoops::tick_once() {
    const auto now_s = clock_.now_s();
    const Config& config = config_.now();
    std::vector<NightlyId> open;
    co_await writer_.run([&](Database& db) {
        run_part(
            db, "schedules", [&] { fire_schedules(db, config, now_s); }, now_s);
        run_part(
            db, "leases", [&] { expire_leases(db, config.jobs, now_s); }, now_s);
        run_part(
            db, "waiting jobs", [&] { cancel_unclaimed(db, now_s); }, now_s);
        if (now_s >= next_look_s_ || now_s < next_look_s_ - look_every_s) {
            run_part(
                db, "troubles", [&] { look_out(db, config, now_s); }, now_s);
            next_look_s_ = now_s + look_every_s;
        }
        open = list_open_nightlies(db);
    });
    bool moved = false;
    for (const auto nightly : open) {
        const bool one = co_await advance_night(nightly, now_s);
        moved = moved || one;
    }
    std::erase_if(working_, [&](NightlyId one) {
        return std::find(open.begin(), open.end(), one) == open.end();
    });
    co_await writer_.run([&](Database& db) {
        run_part(
            db, "reports", [&] { report_step(db, config, now_s); }, now_s);
    });
    co_await writer_.run([&](Database& db) { events_.tell_new(db); });
    if (moved || !open.empty()) on_moved();
    if (moved) supply_timer_.cancel();
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

awaitable<void> NightLoops::supply() {
    while (!stopping_) {
        bool moved = false;
        try {
            const bool triggers = co_await supply_triggers();
            const bool suspects = co_await supply_suspects();
            const bool trees = co_await supply_trees();
            const bool logs = co_await supply_logs();
            moved = triggers || suspects || trees || logs;
        } catch (const std::exception& error) {
            moved = false;
            log_failure("supply.failed", "supply", error.what());
        }
        if (moved) {
            tick_timer_.cancel();
            on_moved();
        } else if (!stopping_) {
            co_await wait(supply_timer_);
        }
    }
}

awaitable<bool> NightLoops::supply_triggers() {
    std::vector<std::pair<Trigger, std::string>> waiting;
    co_await writer_.run([&](Database& db) {
        waiting.clear();
        const auto& webhook = config_.now().webhook;
        const auto settle_s = webhook ? webhook->settle_s : 0;
        for (auto& trigger : take_due_triggers(db, settle_s, clock_.now_s(), max_supplies)) {
            const auto project = load_project_name(db, trigger.project);
            waiting.emplace_back(std::move(trigger), project);
        }
    });
    for (const auto& [trigger, project] : waiting) {
        std::optional<NightlyOffer> offer;
        std::string trouble;
        try {
            co_await repositories_.run(
                [&](Repositories& all) { offer = all.offer(project, trigger.wanted); });
        } catch (const std::exception& error) {
            trouble = error.what();
        }
        const auto now_s = clock_.now_s();
        const auto& projects = config_.now().projects;  // a reload may have taken it meanwhile
        const auto known = projects.find(project);
        if (trouble.empty() && known == projects.end()) {
            trouble = "project " + project + " is no longer in the config";
        }
        co_await writer_.run([&](Database& db) {
            if (trouble.empty()) {
                const auto failed = try_alone(db, [&] {
                    if (offer && offer->input_kind == InputKind::archive) {
                        record_content(
                            db, offer->input, offer->input_bytes, ContentKind::artifact, now_s);
                    }
                    record_nightly(db, trigger.id, known->second, offer, now_s);
                });
                trouble = failed.value_or("");
            }
            if (!trouble.empty()) fail_trigger(db, trigger.id, trouble, now_s);
            // What somebody asked for by name may be a name that was never there.
            if (trigger.wanted) return;
            if (trouble.empty() && !offer) trouble = "it has none to offer";
            const auto why = trouble.empty() ? std::nullopt : std::optional(trouble);
            note_source(db, trigger.project, project, why, now_s);
        });
    }
    co_return !waiting.empty();
}

awaitable<bool> NightLoops::supply_trees() {
    std::vector<std::pair<MissingSource, std::string>> missing;
    co_await writer_.run([&](Database& db) {
        missing.clear();
        for (const auto& source : list_missing_sources(db, max_supplies)) {
            missing.emplace_back(source, load_project_name(db, source.project));
        }
    });
    bool moved = false;
    for (const auto& [source, project] : missing) {
        SourceTree tree;
        std::string trouble = source.unreadable;
        std::optional<std::string> unreachable;
        try {
            if (trouble.empty()) {
                co_await repositories_.run(
                    [&](Repositories& all) { tree = all.export_tree(project, source.revision); });
            }
        } catch (const std::exception& error) {
            if (is_passing(error)) unreachable = error.what();
            if (!unreachable) trouble = error.what();
        }
        const auto now_s = clock_.now_s();
        co_await writer_.run([&](Database& db) {
            note_repository(db, source.project, project, unreachable, now_s);
            if (unreachable) return;
            if (trouble.empty()) {
                const auto failed = try_alone(db, [&] {
                    record_content(db, tree.digest, tree.bytes, ContentKind::source, now_s);
                    record_source(db, source.build, tree.digest);
                });
                trouble = failed.value_or("");
            }
            if (!trouble.empty()) record_source_failure(db, source.build, trouble, now_s);
        });
        if (unreachable) continue;
        moved = true;
        on_moved();
    }
    co_return moved;
}

awaitable<bool> NightLoops::supply_suspects() {
    std::vector<std::pair<MissingSuspects, std::string>> missing;
    co_await writer_.run([&](Database& db) {
        missing.clear();
        for (const auto& wanted : list_missing_suspects(db, max_supplies)) {
            missing.emplace_back(wanted, load_project_name(db, wanted.project));
        }
    });
    bool moved = false;
    for (const auto& [wanted, project] : missing) {
        history::Range range;
        std::string trouble = wanted.unreadable;
        std::optional<std::string> unreachable;
        const auto list = [&](Repositories& all) {
            range = wanted.inside ? all.brought(project, wanted.good, wanted.bad)
                                  : all.suspects(project, wanted.good, wanted.bad);
        };
        try {
            if (trouble.empty()) co_await repositories_.run(list);
        } catch (const std::exception& error) {
            if (is_passing(error)) unreachable = error.what();
            if (!unreachable) trouble = error.what();
        }
        const auto now_s = clock_.now_s();
        co_await writer_.run([&](Database& db) {
            note_repository(db, wanted.project, project, unreachable, now_s);
            if (unreachable) return;
            if (trouble.empty()) {
                const auto failed =
                    try_alone(db, [&] { record_suspects(db, wanted.bisection, range, now_s); });
                trouble = failed.value_or("");
            }
            if (!trouble.empty()) set_aside_bisection(db, wanted.bisection, trouble, now_s);
        });
        moved = moved || !unreachable;
    }
    co_return moved;
}

awaitable<bool> NightLoops::supply_logs() {
    std::vector<MissingLog> missing;
    co_await writer_.run([&](Database& db) { missing = list_missing_logs(db, max_supplies); });
    for (const auto& wanted : missing) {
        std::string tail;
        try {
            if (wanted.log) {
                co_await repositories_.run(
                    [&](Repositories& all) { tail = all.log_tail(*wanted.log); });
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
