#include "service/watch/night/withdraw.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/source/versions.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/machines/storms.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/nights/rolled.hpp"
#include "service/store/nights/withdrawals.hpp"
#include "service/store/series/levels.hpp"
#include "service/store/series/sessions.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/night_jobs.hpp"
#include "service/store/work/runs.hpp"
#include "service/store/workers.hpp"
#include "service/watch/series/series_records.hpp"
#include "service/watch/series/suspicions.hpp"

namespace vigil::service {

namespace {

struct MeasuredPart {
    NightlyRow nightly;
    std::optional<WorkerId> worker;
    std::string words;  ///< "nightly 12 (2026-11-22)", "what worker a measured in ..."
};

MeasuredPart load_part(Database& db, const WithdrawnPart& wanted) {
    MeasuredPart part{load_nightly(db, wanted.nightly), std::nullopt, {}};
    part.words = "nightly " + to_string(part.nightly.id) + " (" + part.nightly.name + ")";
    if (wanted.worker.empty()) return part;
    part.worker = find_worker(db, wanted.worker);
    if (!part.worker) throw Error(Errc::not_found, "there is no worker '" + wanted.worker + "'");
    part.words = "what worker " + wanted.worker + " measured in " + part.words;
    return part;
}

void check_measured(Database& db, const MeasuredPart& part) {
    if (part.nightly.beside) {
        throw Error(
            Errc::conflict, part.words + " is measured beside the nights: nothing is judged by it");
    }
    if (part.worker && !has_runs_of(db, part.nightly.id, *part.worker)) {
        throw Error(Errc::conflict, part.words + ": it measured nothing there");
    }
}

// Its runs are gone: what told of it could not be made anew.
void check_raw(Database& db, const MeasuredPart& part) {
    const auto rolled = find_rolled_up(db, part.nightly.id);
    if (!rolled) return;
    throw Error(
        Errc::conflict,
        part.words + " was rolled up on " + day_of(rolled->at_s) +
            ": it can be neither withdrawn nor restored");
}

void cancel_jobs(Database& db, const std::vector<JobId>& jobs, std::int64_t now_s) {
    for (const auto job : jobs) cancel_job(db, job, now_s);
}

// As one that had no turn: the answer that the loop is told should the night come back.
void end_open(Database& db, const MeasuredPart& part, const std::string& why, std::int64_t now_s) {
    for (const auto& suspicion : list_unended(db, part.nightly.id)) {
        if (!is_left_out(db, part.nightly.id, suspicion.series.id)) continue;
        leave_suspicion(db, suspicion, why, now_s);
    }
}

// Levels that the night began go with it, but for those on which a regression was filed or closed.
void mark_levels(Database& db, NightlyId nightly) {
    for (const auto& level : list_answered_levels(db, nightly)) {
        const bool gone = is_left_out(db, nightly, level.series);
        note_level_use(db, level, gone ? LevelUse::withdrawn : LevelUse::counts);
    }
}

// What is remembered by it and whatever tells of it is made anew.
void make_anew(Database& db, const MeasuredPart& part, std::int64_t now_s) {
    mark_levels(db, part.nightly.id);
    mark_stale(db, part.nightly.id, part.worker);
    touch_regressions_of(db, part.nightly.id, now_s);
    note_unsummed(db, part.nightly.id);
}

void note(
    Database& db,
    const MeasuredPart& part,
    const char* kind,
    const std::string& what,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s) {
    const nlohmann::json data = {{"by", by}, {"reason", reason}};
    const auto words = part.words + " is " + what + " by " + by;
    record_nightly_event(
        db,
        part.nightly,
        kind,
        words + (reason.empty() ? "" : ": " + reason),
        now_s,
        wire::write_json(data));
}

}  // namespace

bool withdraw(
    Database& db,
    const WithdrawnPart& wanted,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s) {
    const auto part = load_part(db, wanted);
    const auto nightly = part.nightly.id;
    if (find_withdrawal(db, nightly, part.worker)) return false;
    check_raw(db, part);
    check_measured(db, part);
    const auto standing = list_withdrawals(db, nightly);
    const bool cut_off =
        part.nightly.state == NightlyState::confirming ||
        std::any_of(standing.begin(), standing.end(), [](const auto& one) { return one.cut_off; });
    add_withdrawal(db, {nightly, part.worker, reason, by, cut_off}, now_s);
    const auto why = part.words + " was withdrawn by " + by + ": " + reason;
    if (!part.worker) cancel_jobs(db, list_open_judgement_jobs(db, nightly), now_s);
    end_open(db, part, why, now_s);
    cancel_jobs(db, list_idle_session_jobs(db, nightly), now_s);
    end_idle_sessions(db, nightly);
    give_up_storms(db, nightly, part.worker, why, now_s);
    make_anew(db, part, now_s);
    note(db, part, "nightly.withdrawn", "withdrawn", reason, by, now_s);
    return true;
}

bool restore(
    Database& db,
    const WithdrawnPart& wanted,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s) {
    const auto part = load_part(db, wanted);
    const auto withdrawal = find_withdrawal(db, part.nightly.id, part.worker);
    if (!withdrawal) return false;
    check_raw(db, part);
    end_withdrawal(db, part.nightly.id, part.worker, now_s);
    make_anew(db, part, now_s);
    // What it had confirmed is filed by the step that it did not come to.
    if (withdrawal->cut_off && (part.nightly.state == NightlyState::searching ||
                                part.nightly.state == NightlyState::done)) {
        reopen_nightly(db, part.nightly.id);
    }
    note(db, part, "nightly.restored", "restored", reason, by, now_s);
    return true;
}

}  // namespace vigil::service
