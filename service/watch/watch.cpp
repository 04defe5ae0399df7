#include "service/watch/watch.hpp"

#include <optional>
#include <string>
#include <vector>

#include "schema/model/states.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/troubles.hpp"
#include "service/watch/confirm/confirm.hpp"
#include "service/watch/look_out.hpp"
#include "service/watch/machines/canary.hpp"
#include "service/watch/machines/storm.hpp"
#include "service/watch/machines/storm_end.hpp"
#include "service/watch/night/drifts.hpp"
#include "service/watch/night/judge.hpp"
#include "service/watch/night/judge_outcomes.hpp"
#include "service/watch/night/plan_changes.hpp"
#include "service/watch/night/rebuild.hpp"
#include "service/watch/night/withdraw.hpp"
#include "service/watch/recover/mending.hpp"
#include "service/watch/recover/recover.hpp"
#include "service/watch/search/bisect.hpp"
#include "service/watch/search/breakage.hpp"
#include "service/watch/search/regressions.hpp"
#include "service/watch/set_aside.hpp"

namespace vigil::service {

namespace {

// Of a night that failed, the commit that broke its build may still be searched.
constexpr const char* and_open =
    "AND (state IN ('measuring', 'confirming', 'searching') OR id IN (SELECT nightly_id "
    "FROM bisection WHERE state IN ('listing', 'searching', 'verifying'))) ";

struct OpenNightly {
    NightlyId id;
    ProjectId project;
    NightlyState state = NightlyState::measuring;
    std::optional<std::string> beside;  ///< why it is no night
};

std::optional<OpenNightly> find_open(Database& db, NightlyId nightly) {
    auto rows = db.query(
        "SELECT project_id, state, beside FROM nightly WHERE id = ?1 " + std::string(and_open),
        nightly);
    if (!rows.next()) return std::nullopt;
    return OpenNightly{
        nightly,
        rows.get<ProjectId>(0),
        rows.get<NightlyState>(1),
        rows.get<std::optional<std::string>>(2)};
}

void set_state(
    Database& db,
    const OpenNightly& nightly,
    NightlyState state,
    const std::string& message,
    std::int64_t now_s) {
    const bool ended = state == NightlyState::done || state == NightlyState::failed;
    db.execute(
        "UPDATE nightly SET state = ?2, message = ?3, ended_at_s = ?4 WHERE id = ?1",
        nightly.id,
        state,
        message,
        ended ? std::optional(now_s) : std::nullopt);
    record_event(
        db,
        now_s,
        "nightly." + std::string(to_string(state)),
        nightly.project,
        "nightly/" + to_string(nightly.id),
        message);
}

bool has_open_jobs(Database& db, NightlyId nightly) {
    return db
        .find<int>(
            "SELECT 1 FROM job WHERE nightly_id = ?1 AND purpose = 'nightly' "
            "AND state IN ('queued', 'leased') LIMIT 1",
            nightly)
        .has_value();
}

// An earlier night must have been judged first: its verdicts move the baselines.
bool earlier_unjudged(Database& db, const OpenNightly& nightly) {
    return db
        .find<int>(
            "SELECT 1 FROM nightly INDEXED BY nightly_open WHERE project_id = ?1 AND id < ?2 "
            "AND state IN ('measuring', 'confirming', 'searching') AND state <> 'searching' "
            "AND beside IS NULL LIMIT 1",
            nightly.project,
            nightly.id)
        .has_value();
}

bool has_open_bisections(Database& db, NightlyId nightly) {
    return db
        .find<int>(
            "SELECT 1 FROM bisection WHERE nightly_id = ?1 "
            "AND state NOT IN ('done', 'failed') LIMIT 1",
            nightly)
        .has_value();
}

// A night without a single value: its build is the first to ask.
std::string why_unmeasured(Database& db, NightlyId nightly) {
    const auto build = db.find<std::string>(
        "SELECT 'its build failed: ' || p.message FROM nightly n JOIN product p "
        "ON p.build_id = n.build_id AND p.state = 'failed' WHERE n.id = ?1 LIMIT 1",
        nightly);
    const auto canary = db.find<std::string>(
        "SELECT 'what was measured is not judged, the canary of worker ' || w.name || ' moved' "
        "FROM canary_check k JOIN worker w ON w.id = k.worker_id WHERE k.nightly_id = ?1 "
        "AND k.state = 'moved' LIMIT 1",
        nightly);
    const auto value = db.find<std::string>(
        "SELECT 'what was measured cannot be judged: ' || u.reason FROM job j "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt JOIN unjudged_measurement u "
        "ON u.run_id = r.id WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' LIMIT 1",
        nightly);
    const auto job = db.find<std::string>(
        "SELECT 'its jobs failed: ' || message FROM job WHERE nightly_id = ?1 "
        "AND message <> '' ORDER BY id LIMIT 1",
        nightly);
    for (const auto& why : {build, canary, value, job}) {
        if (why) return *why;
    }
    return "no judged series was measured";
}

bool has_values(Database& db, NightlyId nightly) {
    return db
        .find<int>(
            "SELECT 1 FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
            "JOIN measurement m ON m.run_id = r.id WHERE j.nightly_id = ?1 "
            "AND j.purpose = 'nightly' LIMIT 1",
            nightly)
        .has_value();
}

// It is measured, and nothing is made of it: neither a judgement nor a search.
bool advance_beside(
    Database& db, const ProjectConfig& config, const OpenNightly& nightly, std::int64_t now_s) {
    end_unbuildable_jobs(db, config, nightly.id, now_s);
    if (has_open_jobs(db, nightly.id)) return false;
    if (repeat_unbuilt_jobs(db, config, nightly.id, now_s) > 0) return true;
    if (!has_values(db, nightly.id)) {
        set_state(db, nightly, NightlyState::failed, why_unmeasured(db, nightly.id), now_s);
        return true;
    }
    const auto undone = undone_words(db, nightly.id);
    const auto words = "measured beside the nights: " + *nightly.beside + "; nothing was judged" +
                       (undone.empty() ? "" : "; " + undone);
    set_state(db, nightly, NightlyState::done, words, now_s);
    return true;
}

// Of the whole night; nothing: it stands.
std::optional<std::string> why_withdrawn(Database& db, NightlyId nightly) {
    const auto withdrawals = list_withdrawals(db, nightly);
    if (withdrawals.empty() || !withdrawals.front().worker.empty()) return std::nullopt;
    return words_of(withdrawals.front());
}

bool advance_measuring(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    const OpenNightly& nightly,
    std::int64_t now_s) {
    end_unbuildable_jobs(db, config, nightly.id, now_s);
    if (has_open_jobs(db, nightly.id)) return false;
    if (const auto why = why_withdrawn(db, nightly.id)) {
        set_state(db, nightly, NightlyState::failed, *why + "; it was not judged", now_s);
        return true;
    }
    if (repeat_unbuilt_jobs(db, config, nightly.id, now_s) > 0) return true;
    if (earlier_unjudged(db, nightly)) return false;
    if (check_canaries(db, whole, nightly.id, now_s)) return false;
    const auto part = [&](std::string_view what, const std::function<void()>& work) {
        try_part(db, nightly.id, what, work, now_s);
    };
    part("looking at the build", [&] { note_build(db, nightly.id, now_s); });
    part("comparing the plan", [&] { note_plan_changes(db, nightly.id, now_s); });
    auto counts = judge_nightly(db, config, nightly.id, now_s);
    part("looking for moved machines", [&] {
        find_storms(db, config, nightly.id, counts.moves, now_s);
    });
    part("looking for what mended", [&] { expect_recovered(db, config, nightly.id); });
    int silent = 0;
    part("looking for what no longer runs", [&] {
        silent = judge_outcomes(db, config, nightly.id, now_s);
    });
    counts.suspicions += silent;
    db.execute(
        "UPDATE nightly SET compared_series = ?2 WHERE id = ?1",
        nightly.id,
        counts.series - counts.first);
    if (counts.series + silent == 0) {
        set_state(db, nightly, NightlyState::failed, why_unmeasured(db, nightly.id), now_s);
        search_breakage(db, config, nightly.id, now_s);
        return true;
    }
    set_state(
        db,
        nightly,
        NightlyState::confirming,
        std::to_string(counts.series) + " series judged, " + std::to_string(counts.suspicions) +
            " suspicions, " + std::to_string(counts.first) + " without an earlier night" +
            (counts.set_aside == 0
                 ? ""
                 : ", " + std::to_string(counts.set_aside) + " set aside: they cannot be judged"),
        now_s);
    return true;
}

bool advance_confirming(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    const OpenNightly& nightly,
    std::int64_t now_s) {
    if (check_storms(db, config, whole.jobs, nightly.id, now_s)) return false;
    if (confirm_nightly(db, config, nightly.id, now_s)) return false;
    int fixed = 0;
    try_part(
        db,
        nightly.id,
        "closing what recovered",
        [&] { fixed = close_recovered(db, whole, config, nightly.id, now_s); },
        now_s);
    const int opened = open_regressions(db, config, whole.jobs, nightly.id, now_s);
    int drifts = 0;
    try_part(
        db,
        nightly.id,
        "listing drifts",
        [&] { drifts = record_drifts(db, config, nightly.id, now_s); },
        now_s);
    set_state(
        db,
        nightly,
        NightlyState::searching,
        std::to_string(opened) + " regressions opened, " + std::to_string(fixed) + " recovered, " +
            std::to_string(drifts) + " drifts found",
        now_s);
    return true;
}

void advance_bisections(
    Database& db, const ProjectConfig& config, const OpenNightly& nightly, std::int64_t now_s) {
    std::vector<BisectionId> searching;
    {
        auto rows = db.query(
            "SELECT id FROM bisection WHERE nightly_id = ?1 "
            "AND state IN ('searching', 'verifying') ORDER BY id",
            nightly.id);
        while (rows.next()) searching.push_back(rows.get<BisectionId>(0));
    }
    for (const auto bisection : searching) {
        const auto trouble = try_alone(db, [&] {
            is_breakage(db, bisection) ? advance_breakage(db, config, bisection, now_s)
                                       : advance_bisection(db, config, bisection, now_s);
        });
        if (trouble) set_aside_bisection(db, bisection, "its step failed: " + *trouble, now_s);
    }
}

// What was not done is said, however well the rest went.
std::string done_words(Database& db, NightlyId nightly) {
    const auto undone = undone_words(db, nightly);
    const auto compared =
        db.find<int>("SELECT 1 FROM nightly WHERE id = ?1 AND compared_series > 0", nightly);
    if (compared) return undone;
    return "nothing was compared: no series has an earlier night" +
           (undone.empty() ? "" : "; " + undone);
}

bool advance_searching(
    Database& db, const ProjectConfig& config, const OpenNightly& nightly, std::int64_t now_s) {
    advance_bisections(db, config, nightly, now_s);
    if (has_open_bisections(db, nightly.id) || waits_for_mending(db, nightly.id)) return false;
    set_state(db, nightly, NightlyState::done, done_words(db, nightly.id), now_s);
    end_earlier_set_aside(db, nightly.id, now_s);
    return true;
}

bool advance(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    const OpenNightly& nightly,
    std::int64_t now_s) {
    if (nightly.beside) return advance_beside(db, config, nightly, now_s);
    switch (nightly.state) {
        case NightlyState::measuring: return advance_measuring(db, whole, config, nightly, now_s);
        case NightlyState::confirming: return advance_confirming(db, whole, config, nightly, now_s);
        case NightlyState::searching: return advance_searching(db, config, nightly, now_s);
        case NightlyState::failed: advance_bisections(db, config, nightly, now_s); return false;
        case NightlyState::done: return false;
    }
    return false;
}

}  // namespace

std::vector<NightlyId> list_open_nightlies(Database& db, int limit) {
    std::vector<NightlyId> open;
    auto rows = db.query(
        "SELECT id FROM nightly WHERE state IN ('measuring', 'confirming', 'searching') "
        "UNION SELECT nightly_id FROM bisection WHERE state IN ('listing', 'searching', "
        "'verifying') ORDER BY 1 LIMIT ?1",
        limit);
    while (rows.next()) open.push_back(rows.get<NightlyId>(0));
    return open;
}

bool advance_nightly(Database& db, const Config& config, NightlyId id, std::int64_t now_s) {
    const auto nightly = find_open(db, id);
    if (!nightly) return false;
    const auto project = config.projects.find(load_project_name(db, nightly->project));
    if (project == config.projects.end()) return false;  // no longer watched: its night waits
    return advance(db, config, project->second, *nightly, now_s);
}

}  // namespace vigil::service
