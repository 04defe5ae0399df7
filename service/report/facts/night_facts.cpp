#include "service/report/facts/night_facts.hpp"

#include <algorithm>

#include "bisect/stats/one_size.hpp"
#include "bisect/stats/summary.hpp"
#include "service/report/facts/marker.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/withdrawals.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/night/night_words.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr int max_missing = 200;  // of each kind; the summary shows fewer

void load_measured(Database& db, NightFacts& facts, const ProjectConfig* project) {
    for (const auto& [metric, judging, series, first] : list_measured_metrics(db, facts.id)) {
        if (project != nullptr && !is_judged(*project, metric, judging)) continue;
        facts.measured_series += series;
        facts.first_series += first;
    }
}

void load_values(Database& db, NightFacts& facts, const ProjectConfig* project) {
    for (const auto& [series, runs] : list_values_of(db, facts.id)) {
        if (project != nullptr && !is_judged(*project, series)) continue;
        facts.values.push_back(
            {series.benchmark,
             series.variant,
             load_machine_class_name(db, series.machine_class),
             series.metric,
             stats::median(runs),
             runs.size()});
    }
}

void load_changes(Database& db, NightFacts& facts) {
    facts.changes = list_night_changes(db, facts.id);
    for (auto& change : facts.changes) {
        change.confirmed = stats::one_size(change.confirmed, change.verified, false);
        if (change.confirmed.runs_before > 0) change.change_ratio = change.confirmed.change_ratio;
    }
}

void load_regressions(Database& db, NightFacts& facts) {
    for (auto& row : list_nights_regressions(db, facts.project_id, facts.id)) {
        if (!is_open(row.state) && !row.tonight && !row.recovered) continue;
        std::vector<FixFact> fixes;
        if (row.back > 0) fixes = list_fix_facts(db, row.id, facts.id);
        facts.regressions.push_back({std::move(row), std::move(fixes)});
    }
}

void load_missing(Database& db, NightFacts& facts) {
    facts.missing = list_missing(db, facts.id, max_missing);
    if (!facts.beside.empty()) return;  // a night tells of what went wrong before it
    for (auto& one : list_missing_before(db, facts.project_id, facts.id, max_missing)) {
        facts.missing.push_back(std::move(one));
    }
}

// A part of the night is missing; without the whole there is no night.
void load_withdrawn(Database& db, NightFacts& facts) {
    for (const auto& one : list_withdrawals(db, facts.id)) {
        if (one.worker.empty()) {
            facts.withdrawn = words_of(one);
        } else {
            facts.missing.push_back(
                {"what worker " + one.worker + " measured",
                 "withdrawn by " + one.by + ": " + one.reason});
        }
    }
}

// A night that is not over may still have jobs on the days after it began.
void load_budget_days(Database& db, NightFacts& facts, const ProjectConfig* config) {
    constexpr std::int64_t most_days = 7;
    constexpr std::int64_t hour_s = 3600;
    if (config == nullptr || config->max_machine_hours_a_day == 0) return;
    const auto project = find_project(db, facts.project);
    if (!project) return;
    const auto first = day_of(facts.started_at_s);
    const auto last = facts.ended_at_s == 0 ? first + most_days : day_of(facts.ended_at_s);
    facts.budget_days = budget_days(
        list_day_time(db, *project, first, std::min(last, first + most_days) + 1),
        config->max_machine_hours_a_day * hour_s);
}

}  // namespace

std::optional<BreakageFact> find_breakage(Database& db, NightlyId nightly) {
    auto found = find_reported_breakage(db, nightly);
    if (!found) return std::nullopt;
    BreakageFact fact{std::move(*found), {}};
    for (const auto& ending : fact.conclusion.endings) {
        if (ending.ending != search::Ending::culprit) continue;
        auto commit = find_breaking_commit(db, fact.bisection, ending.first);
        if (commit) static_cast<BreakingCommit&>(fact) = std::move(*commit);
    }
    return fact;
}

NightFacts load_night_facts(Database& db, NightlyId nightly, const Config& config) {
    NightFacts facts;
    facts.marker = load_marker(db, {.nightly = nightly}).line;
    static_cast<ReportedNight&>(facts) = load_reported_night(db, nightly);
    const auto found = config.projects.find(facts.project);
    facts.links = links_of(config, facts.project);
    facts.work = load_night_work(db, nightly);
    facts.rolled_up = find_rolled_up(db, nightly);
    facts.machine_time = list_night_time(db, nightly);
    const ProjectConfig* watched = found == config.projects.end() ? nullptr : &found->second;
    load_budget_days(db, facts, watched);
    load_measured(db, facts, watched);
    if (!facts.beside.empty()) load_values(db, facts, watched);
    load_changes(db, facts);
    facts.improvements = list_night_improvements(db, nightly);
    facts.drifts = list_night_drifts(db, nightly);
    facts.storms = list_night_storms(db, nightly);
    if (facts.beside.empty()) load_regressions(db, facts);
    load_missing(db, facts);
    load_withdrawn(db, facts);
    facts.lost = list_lost(db, nightly, max_missing);
    facts.breakage = find_breakage(db, nightly);
    facts.series_notes = list_series_notes(db, nightly, max_missing);
    if (const auto week = find_week_to_report(db, nightly)) {
        facts.last_week = load_precision(db, *week);
    }
    return facts;
}

}  // namespace vigil::service
