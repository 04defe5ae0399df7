#include "service/watch/confirm.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bisect/detect/session.hpp"
#include "schema/wire/job_json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/events.hpp"
#include "service/watch/benchmarks.hpp"
#include "service/watch/builds.hpp"
#include "service/watch/nightlies.hpp"
#include "service/watch/values.hpp"
#include "service/watch/watched.hpp"

namespace vigil::service {

namespace {

// A session whose blocks keep failing says nothing; it is given up, and tomorrow is another night.
constexpr int max_empty_blocks = 3;

// What is undecided then goes on tomorrow with the next build, and keeps nobody waiting tonight.
constexpr int blocks_a_night = 8;
constexpr int blocks_for_better = 3;  // nothing is filed, only the baseline starts anew

// P(above the threshold) at which a series is let go that was measured only because its nights
// cannot tell: nothing speaks for a change there before its session does.
constexpr double hopeless_check_at_once = 0.08;
constexpr double hopeless_check = 0.15;

struct OpenSuspicion {
    SuspicionId id;
    SeriesId series;
    NightlyId good_nightly;
    std::optional<SessionId> session;
    bool by_outcome = false;  ///< it no longer runs
    double change_ratio = 0;  ///< of the night
    bool is_check = false;    ///< what the night said means nothing

    /// What the night looked like: what the session is asked about.
    bool looked_better() const { return !is_check && change_ratio <= 0; }
    bool looked_worse() const { return !is_check && change_ratio > 0; }
};

std::vector<OpenSuspicion> list_open(Database& db, NightlyId nightly) {
    std::vector<OpenSuspicion> open;
    auto rows = db.query(
        "SELECT id, series_id, good_nightly_id, session_id, kind = 'outcome', change_ratio, "
        "is_check FROM suspicion "
        "WHERE nightly_id = ?1 AND state <> 'ended' ORDER BY id",
        nightly);
    while (rows.next()) {
        open.push_back(
            {rows.get<SuspicionId>(0),
             rows.get<SeriesId>(1),
             rows.get<NightlyId>(2),
             rows.get<std::optional<SessionId>>(3),
             rows.get<bool>(4),
             rows.get<double>(5),
             rows.get<bool>(6)});
    }
    return open;
}

BuildId build_of(Database& db, NightlyId nightly) {
    return *db.find<BuildId>("SELECT build_id FROM nightly WHERE id = ?1", nightly);
}

SessionId ensure_session(
    Database& db, const OpenSuspicion& suspicion, NightlyId nightly, std::int64_t now_s) {
    const auto series = load_series(db, suspicion.series);
    const auto a = build_of(db, suspicion.good_nightly);
    const auto b = build_of(db, nightly);
    const auto found = db.find<SessionId>(
        "SELECT id FROM session WHERE nightly_id = ?1 AND a_build_id = ?2 AND benchmark = ?3 "
        "AND variant = ?4 AND machine_class_id = ?5",
        nightly,
        a,
        series.benchmark,
        series.variant,
        series.machine_class);
    if (found) return *found;
    db.execute(
        "INSERT INTO session(project_id, a_build_id, b_build_id, benchmark, variant, "
        "machine_class_id, nightly_id, state, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', ?8)",
        series.project,
        a,
        b,
        series.benchmark,
        series.variant,
        series.machine_class,
        nightly,
        now_s);
    return SessionId{db.last_insert_id()};
}

struct SessionState {
    int jobs = 0;
    int open_jobs = 0;
    int empty_jobs = 0;  ///< ended without a passed run of each side
};

SessionState load_state(Database& db, SessionId session) {
    SessionState state;
    auto rows = db.query(
        "SELECT j.state IN ('queued', 'leased'), (SELECT COUNT(DISTINCT r.build_id) FROM run r "
        "WHERE r.job_id = j.id AND r.attempt = j.attempt AND r.outcome = 'passed') "
        "FROM job j WHERE j.session_id = ?1",
        session);
    while (rows.next()) {
        ++state.jobs;
        if (rows.get<bool>(0)) {
            ++state.open_jobs;
        } else if (rows.get<int>(1) < 2) {
            ++state.empty_jobs;
        }
    }
    return state;
}

std::vector<detect::SessionRun> load_runs(Database& db, SessionId session, SeriesId series) {
    std::vector<detect::SessionRun> runs;
    auto rows = db.query(
        "SELECT j.id, r.build_id = x.a_build_id, m.median FROM session x "
        "JOIN job j ON j.session_id = x.id AND j.state = 'done' "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt AND r.outcome = 'passed' "
        "JOIN measurement m ON m.run_id = r.id AND m.series_id = ?2 "
        "WHERE x.id = ?1 ORDER BY j.id, r.step",
        session,
        series);
    int block = -1;
    JobId job;
    while (rows.next()) {
        if (rows.get<JobId>(0) != job) ++block;
        job = rows.get<JobId>(0);
        runs.push_back(
            {rows.get<bool>(1) ? detect::Side::a : detect::Side::b, block, rows.get<double>(2)});
    }
    return runs;
}

void add_block(
    Database& db, const ProjectConfig& config, SessionId session, int block, std::int64_t now_s) {
    auto rows = db.query(
        "SELECT project_id, a_build_id, b_build_id, benchmark, variant, machine_class_id, "
        "nightly_id FROM session WHERE id = ?1",
        session);
    VIGIL_ASSERT(rows.next());
    NewJob job;
    job.project = rows.get<ProjectId>(0);
    job.machine_class = rows.get<MachineClassId>(5);
    job.purpose = Purpose::confirm;
    job.priority = static_cast<int>(Priority::confirm);
    job.nightly = rows.get<NightlyId>(6);
    job.session = session;
    job.builds = {rows.get<BuildId>(1), rows.get<BuildId>(2)};
    job.plan.benchmarks = {find_benchmark(
        db, config, job.project, rows.get<std::string>(3), rows.get<std::string>(4))};
    for (const auto side : detect::block_order(block)) {
        job.plan.steps.push_back({side == detect::Side::a ? 0 : 1, 0});
    }
    add_job(db, job, now_s);
}

void end_suspicion(
    Database& db,
    const OpenSuspicion& suspicion,
    const SeriesRow& series,
    Verdict verdict,
    const Comparison& comparison,
    const std::string& reason,
    std::int64_t now_s) {
    db.execute(
        "UPDATE suspicion SET state = 'ended', verdict = ?2, confirmed = ?3, "
        "reason = reason || '; ' || ?4, ended_at_s = ?5 WHERE id = ?1",
        suspicion.id,
        verdict,
        wire::to_json(comparison).dump(),
        reason,
        now_s);
    record_event(
        db,
        now_s,
        "suspicion." + std::string(to_string(verdict)),
        series.project,
        "suspicion/" + to_string(suspicion.id),
        series.benchmark + " " + series.variant + " " + std::string(to_string(series.metric)) +
            ": " + reason);
}

// A session may contradict the night that asked for it: then neither is believed today. And two
// builds of one revision cannot hold a culprit: what differs is around them.
Verdict final_verdict(Database& db, const OpenSuspicion& suspicion, NightlyId nightly, Verdict v) {
    if (v == Verdict::regression && suspicion.looked_better()) return Verdict::watch;
    if (v == Verdict::improvement && suspicion.looked_worse()) return Verdict::watch;
    const bool same_revision = load_revision(db, build_of(db, suspicion.good_nightly)) ==
                               load_revision(db, build_of(db, nightly));
    return same_revision && v == Verdict::regression ? Verdict::environment : v;
}

struct OutcomeCounts {
    int a_runs = 0, a_passed = 0, b_runs = 0, b_passed = 0;
};

OutcomeCounts count_outcomes(Database& db, SessionId session) {
    OutcomeCounts counts;
    auto rows = db.query(
        "SELECT r.build_id = x.a_build_id, r.outcome = 'passed' FROM session x "
        "JOIN job j ON j.session_id = x.id AND j.state = 'done' "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt WHERE x.id = ?1",
        session);
    while (rows.next()) {
        const bool passed = rows.get<bool>(1);
        if (rows.get<bool>(0)) {
            ++counts.a_runs;
            counts.a_passed += passed ? 1 : 0;
        } else {
            ++counts.b_runs;
            counts.b_passed += passed ? 1 : 0;
        }
    }
    return counts;
}

// Does it still not run, where the old build does? One block tells.
bool judge_outcome(
    Database& db, const OpenSuspicion& suspicion, int empty_blocks, std::int64_t now_s) {
    const auto series = load_series(db, suspicion.series);
    const auto counts = count_outcomes(db, *suspicion.session);
    const std::string figures = "old build passed " + std::to_string(counts.a_passed) + " of " +
                                std::to_string(counts.a_runs) + " runs, new build " +
                                std::to_string(counts.b_passed) + " of " +
                                std::to_string(counts.b_runs);
    if (counts.a_runs < 2 || counts.b_runs < 2) {
        if (empty_blocks < max_empty_blocks) return true;
        end_suspicion(db, suspicion, series, Verdict::watch, {}, "given up: " + figures, now_s);
        return false;
    }
    const Verdict verdict = counts.b_passed > 0   ? Verdict::noise
                            : counts.a_passed > 0 ? Verdict::broken
                                                  : Verdict::environment;
    Comparison comparison;
    comparison.runs_before = counts.a_runs;
    comparison.runs_after = counts.b_runs;
    end_suspicion(db, suspicion, series, verdict, comparison, figures, now_s);
    return false;
}

// The rules of tonight's session, with what the nights before said where they ended with `watch`.
detect::SessionRules rules_for(
    Database& db,
    const ProjectConfig& config,
    const OpenSuspicion& suspicion,
    const SeriesRow& series,
    NightlyId nightly) {
    detect::SessionRules rules;
    rules.direction = series.direction;
    rules.threshold = threshold_of(config.thresholds, series.metric);
    rules.kind = kind_of(series.metric);
    rules.max_blocks = suspicion.looked_better() ? blocks_for_better : blocks_a_night;
    if (suspicion.is_check) {
        rules.hopeless_at_once = hopeless_check_at_once;
        rules.hopeless = hopeless_check;
    }
    const auto plan = find_benchmark(db, config, series.project, series.benchmark, series.variant);
    // Runs that measure in turns are quieter than the nights' own: the session learns by itself.
    if (plan.interleave == 1 || rules.kind != MetricKind::time) {
        const auto noise = run_noise(load_level(db, suspicion.series, nightly), series.direction);
        rules.run_noise = noise.spread;
        rules.run_skew = noise.skew;
    }
    rules.asked = suspicion.is_check          ? Finding::unknown
                  : suspicion.looked_better() ? Finding::better
                                              : Finding::worse;
    auto watched = list_watched(db, suspicion.series, nightly, suspicion.good_nightly);
    if (static_cast<int>(watched.size()) >= max_watched_nights) watched.clear();
    std::reverse(watched.begin(), watched.end());
    for (const auto& night : watched) {
        const auto runs = load_runs(db, night.session, suspicion.series);
        const auto evidence = detect::judge_session(runs, rules).evidence;
        if (evidence.variance > 0) rules.earlier = evidence;
    }
    return rules;
}

// @return whether the suspicion wants another block
bool judge(
    Database& db,
    const ProjectConfig& config,
    const OpenSuspicion& suspicion,
    NightlyId nightly,
    const SessionState& state,
    std::int64_t now_s) {
    const auto series = load_series(db, suspicion.series);
    const auto runs = load_runs(db, *suspicion.session, suspicion.series);
    // Runs may pass and yet hold no value of this series.
    const int valued = runs.empty() ? 0 : runs.back().block + 1;
    const int empty_blocks = std::max(state.empty_jobs, state.jobs - valued);
    const auto rules = rules_for(db, config, suspicion, series, nightly);
    const auto judgement = detect::judge_session(runs, rules);
    if (judgement.decided) {
        const auto verdict = final_verdict(db, suspicion, nightly, judgement.verdict);
        end_suspicion(
            db, suspicion, series, verdict, judgement.comparison, judgement.reason, now_s);
        if (verdict == Verdict::regression || verdict == Verdict::improvement) {
            restart_baseline(
                db,
                suspicion.series,
                nightly,
                std::string(to_string(verdict)) + " confirmed",
                now_s);
        }
        return false;
    }
    if (empty_blocks >= max_empty_blocks) {
        end_suspicion(
            db,
            suspicion,
            series,
            Verdict::watch,
            judgement.comparison,
            "given up: " + std::to_string(empty_blocks) + " blocks gave no pair of values",
            now_s);
        return false;
    }
    return true;
}

}  // namespace

bool confirm_nightly(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    auto open = list_open(db, nightly);
    std::vector<SessionId> sessions;
    for (auto& suspicion : open) {
        if (!suspicion.session) {
            suspicion.session = ensure_session(db, suspicion, nightly, now_s);
            db.execute(
                "UPDATE suspicion SET state = 'confirming', session_id = ?2 WHERE id = ?1",
                suspicion.id,
                *suspicion.session);
        }
        if (sessions.empty() || sessions.back() != *suspicion.session) {
            sessions.push_back(*suspicion.session);
        }
    }
    std::sort(sessions.begin(), sessions.end());
    sessions.erase(std::unique(sessions.begin(), sessions.end()), sessions.end());
    bool waiting = false;
    for (const auto session : sessions) {
        const auto state = load_state(db, session);
        if (state.open_jobs > 0) {
            waiting = true;
            continue;
        }
        bool more = false;
        for (const auto& suspicion : open) {
            if (*suspicion.session != session) continue;
            more |= suspicion.by_outcome ? judge_outcome(db, suspicion, state.empty_jobs, now_s)
                                         : judge(db, config, suspicion, nightly, state, now_s);
        }
        if (more) {
            add_block(db, config, session, state.jobs, now_s);
            waiting = true;
        } else {
            db.execute("UPDATE session SET state = 'done' WHERE id = ?1", session);
        }
    }
    return waiting;
}

}  // namespace vigil::service
