#include "service/watch/confirm.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/watch/asked_before.hpp"
#include "service/watch/benchmarks.hpp"
#include "service/watch/builds.hpp"
#include "service/watch/machine_move.hpp"
#include "service/watch/night_budget.hpp"
#include "service/watch/nightlies.hpp"
#include "service/watch/session.hpp"
#include "service/watch/values.hpp"

namespace vigil::service {

namespace {

// A session whose blocks keep failing says nothing; it is given up, and tomorrow is another night.
constexpr int max_empty_blocks = 3;

// What is undecided then goes on tomorrow with the next build, and keeps nobody waiting tonight.
constexpr int blocks_a_night = 8;
constexpr int block_runs = 4;
constexpr int blocks_for_better = 3;  // nothing is filed, only the baseline starts anew

// P(above the threshold) at which a series is let go that was measured only because its nights
// cannot tell: nothing speaks for a change there before its session does.
constexpr double hopeless_check_at_once = 0.08;
constexpr double hopeless_check = 0.15;

struct OpenSuspicion {
    SuspicionId id;
    SeriesId series;
    NightlyId good_nightly;
    SessionId session;
    bool by_outcome = false;  ///< it no longer runs
    double change_ratio = 0;  ///< of the night
    bool is_check = false;    ///< what the night said means nothing

    /// What the night looked like: what the session is asked about.
    bool looked_better() const { return !is_check && change_ratio <= 0; }
    bool looked_worse() const { return !is_check && change_ratio > 0; }
};

std::vector<OpenSuspicion> list_confirming(Database& db, NightlyId nightly) {
    std::vector<OpenSuspicion> open;
    auto rows = db.query(
        "SELECT id, series_id, good_nightly_id, session_id, kind = 'outcome', change_ratio, "
        "is_check FROM suspicion "
        "WHERE nightly_id = ?1 AND state = 'confirming' ORDER BY id",
        nightly);
    while (rows.next()) {
        open.push_back(
            {rows.get<SuspicionId>(0),
             rows.get<SeriesId>(1),
             rows.get<NightlyId>(2),
             rows.get<SessionId>(3),
             rows.get<bool>(4),
             rows.get<double>(5),
             rows.get<bool>(6)});
    }
    return open;
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
        words_of(db, series) + ": " + reason);
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

// What cannot even be judged says nothing; the other sessions go on.
void give_up(
    Database& db, const OpenSuspicion& suspicion, const std::string& why, std::int64_t now_s) {
    const auto series = load_series(db, suspicion.series);
    end_suspicion(db, suspicion, series, Verdict::watch, {}, why, now_s);
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
    const auto counts = count_outcomes(db, suspicion.session);
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

// The rules of tonight's session, with what the nights before said where they ended with `watch`,
// or else with what the last session told.
detect::SessionRules rules_for(
    Database& db,
    const ProjectConfig& config,
    const OpenSuspicion& suspicion,
    const SeriesRow& series,
    NightlyId nightly) {
    auto rules = known_rules(db, config, series, nightly);
    rules.max_blocks = suspicion.looked_better() ? blocks_for_better : blocks_a_night;
    if (suspicion.is_check) {
        rules.hopeless_at_once = hopeless_check_at_once;
        rules.hopeless = hopeless_check;
    }
    rules.asked = suspicion.is_check          ? Finding::unknown
                  : suspicion.looked_better() ? Finding::better
                                              : Finding::worse;
    rules.earlier = pool_watched(db, suspicion.series, nightly, suspicion.good_nightly, rules);
    if (!rules.earlier) rules.told = find_told(db, config, series, nightly);
    return rules;
}

// @param may_go_on  the night has runs for another block
// @return whether the suspicion wants one
bool judge(
    Database& db,
    const ProjectConfig& config,
    const OpenSuspicion& suspicion,
    NightlyId nightly,
    const SessionState& state,
    bool may_go_on,
    std::int64_t now_s) {
    const auto series = load_series(db, suspicion.series);
    const auto runs = load_runs(db, suspicion.session, suspicion.series);
    // Runs may pass and yet hold no value of this series.
    const int valued = runs.empty() ? 0 : runs.back().block + 1;
    const int empty_blocks = std::max(state.empty_jobs, state.jobs - valued);
    const auto plan = find_benchmark(db, config, series.project, series.benchmark, series.variant);
    const auto rules = rules_for(db, config, suspicion, series, nightly);
    const auto judgement = detect::judge_session(runs, rules);
    if (judgement.decided) {
        auto verdict = final_verdict(db, suspicion, nightly, judgement.verdict);
        auto reason = judgement.reason;
        // Runs in turns are no nights' runs: their levels cannot be compared.
        const bool in_turns = plan.interleave > 1 && rules.kind == MetricKind::time;
        if (verdict == Verdict::noise && !in_turns &&
            old_build_moved(db, series, nightly, runs, suspicion.change_ratio, rules.threshold)) {
            verdict = Verdict::environment;
            reason += "; the old build lies off its own nights too: the machine moved";
            rebase_if_it_stays(db, series.id, nightly, now_s);
        }
        end_suspicion(db, suspicion, series, verdict, judgement.comparison, reason, now_s);
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
    if (may_go_on) return true;
    const auto why = runs_are_spent(config);
    end_suspicion(db, suspicion, series, Verdict::watch, judgement.comparison, why, now_s);
    db.execute("UPDATE suspicion SET waits = ?2 WHERE id = ?1", suspicion.id, why);
    return false;
}

}  // namespace

bool confirm_nightly(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    const auto confirming = list_confirming(db, nightly);
    std::set<SessionId> sessions;
    for (const auto& suspicion : confirming) sessions.insert(suspicion.session);
    auto budget = load_budget(db, config, nightly);
    bool waiting = false;
    for (const auto session : sessions) {
        const auto state = load_state(db, session);
        if (state.open_jobs > 0) {
            waiting = true;
            continue;
        }
        const int runs = state.jobs * block_runs;
        const bool may_go_on = budget.may_go_on(runs, block_runs);
        bool more = false;
        for (const auto& suspicion : confirming) {
            if (suspicion.session != session) continue;
            const auto trouble = try_alone(db, [&] {
                more |= suspicion.by_outcome
                            ? judge_outcome(db, suspicion, state.empty_jobs, now_s)
                            : judge(db, config, suspicion, nightly, state, may_go_on, now_s);
            });
            if (trouble) give_up(db, suspicion, "its session cannot be judged: " + *trouble, now_s);
        }
        if (more) {
            budget.go_on(runs, block_runs);
            add_block(db, config, session, state.jobs, now_s);
            waiting = true;
        } else {
            db.execute("UPDATE session SET state = 'done' WHERE id = ?1", session);
        }
    }
    // What has ended gives back what it held.
    for (const auto session : begin_sessions(db, config, nightly, now_s)) {
        add_block(db, config, session, 0, now_s);
        waiting = true;
    }
    if (!waiting) let_wait(db, config, nightly, now_s);
    return waiting;
}

}  // namespace vigil::service
