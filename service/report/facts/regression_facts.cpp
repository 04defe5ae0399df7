#include "service/report/facts/regression_facts.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/detect/noise.hpp"
#include "bisect/stats/one_size.hpp"
#include "schema/model/case_run.hpp"
#include "schema/model/state_sets.hpp"
#include "schema/text/characters.hpp"
#include "service/report/facts/marker.hpp"
#include "service/report/facts/requested.hpp"
#include "service/report/facts/search_facts.hpp"
#include "service/source/words.hpp"
#include "service/store/findings/fixes.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/nights/withdrawals.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/work/reported.hpp"
#include "service/watch/night/night_words.hpp"

namespace vigil::service {

bool is_unconfirmed(const SeriesFact& series) {
    return series.verdict == Verdict::unconfirmed ||
           (series.verdict == Verdict::broken && !series.failed);
}

Comparison best_comparison(const SeriesFact& series) {
    return stats::one_size(series.confirmed, series.verified, series.shared);
}

namespace {

void load_series_facts(Database& db, RegressionFacts& facts, const ProjectConfig* project) {
    for (auto& row : list_reported_series(db, facts.id)) {
        SeriesFact series{std::move(row)};
        if (project != nullptr) {
            series.threshold =
                series.own_threshold.value_or(threshold_of(project->thresholds, series.metric));
        }
        if (is_open(facts.state) && series.recovered_night.empty()) {
            series.today = find_level_today(db, series.id, best_comparison(series), series.found);
        }
        facts.series.push_back(std::move(series));
    }
    std::stable_sort(
        facts.series.begin(), facts.series.end(), [](const SeriesFact& a, const SeriesFact& b) {
            return best_comparison(a).change_ratio > best_comparison(b).change_ratio;
        });
}

/// Whether deliveries tell of comments where the project's issues are filed.
bool hears_comments(const Config& config, const ProjectConfig* project) {
    if (project == nullptr || !config.webhook) return false;
    const auto is_reported = [&](const std::string& name) {
        const auto target = config.report_targets.find(name);
        if (target == config.report_targets.end()) return false;
        const auto repository = text::lower_case(target->second.repository);
        const auto& hooked = config.webhook->projects;
        return target->second.kind == TargetKind::issues &&
               std::any_of(hooked.begin(), hooked.end(), [&](const auto& one) {
                   return one.second == project->name && text::lower_case(one.first) == repository;
               });
    };
    return std::any_of(project->reports.begin(), project->reports.end(), is_reported);
}

/// At the first tracker of the project that has a rota.
std::string on_call_for(const Config& config, const ProjectConfig* project, std::int64_t at_s) {
    if (project == nullptr) return "";
    for (const auto& name : project->reports) {
        const auto target = config.report_targets.find(name);
        if (target == config.report_targets.end()) continue;
        auto login = on_call_at(target->second, at_s);
        if (!login.empty()) return login;
    }
    return "";
}

/// When an answer is late; nullopt: none ever is.
std::optional<std::int64_t> answer_due_s(std::int64_t found_s, const ProjectConfig* project) {
    if (project == nullptr || project->answer_due_s == 0) return std::nullopt;
    return found_s + project->answer_due_s;
}

/// What else the night that raised it said.
void load_same_night(Database& db, RegressionFacts& facts) {
    static constexpr int max_notes = 10;
    for (auto& change : list_night_changes(db, facts.found)) {
        if (change.verdict && is_better(*change.verdict)) facts.better.push_back(std::move(change));
    }
    facts.series_notes = list_series_notes(db, facts.found, max_notes);
}

void load_reverted(Database& db, RegressionFacts& facts) {
    const auto vain = find_vain_revert(db, facts.id);
    const bool is_back = std::any_of(facts.series.begin(), facts.series.end(), [](const auto& one) {
        return !one.recovered_night.empty();
    });
    if (!vain || !facts.culprit || is_back) return;
    RevertedFact reverted;
    reverted.told = load_told(db, vain->id);
    reverted.night = find_nightly(db, vain->nightly)->name;
    for (std::size_t i = 0; i < facts.series.size(); ++i) {
        const auto& series = facts.series[i];
        const auto change = find_change(db, facts.id, series.id);
        const auto night = load_history(db, series.id, vain->nightly, 1);
        const bool is_known = change && !night.empty() && night.back().nightly == vain->nightly &&
                              night.back().value >= 0;
        if (!is_known) continue;
        const double ratio = change_ratio(change->base, night.back().value, change->direction);
        reverted.still_worse.push_back({int(i), ratio});
    }
    facts.reverted = std::move(reverted);
}

void load_endings(Database& db, BisectionId bisection, RegressionFacts& facts) {
    const auto search = find_search_records(db, bisection);
    if (!search) return;
    const auto& [settings, conclusion] = *search;
    facts.search_summary = without_paths(conclusion.summary);
    std::vector<Revision> line;
    for (const auto& suspect : facts.suspects) line.push_back(suspect.revision);
    const auto named = facts.culprit        ? *facts.culprit
                       : facts.left.empty() ? Revision{}
                                            : facts.left.front();
    for (std::size_t index = 0; index < settings.series.size(); ++index) {
        const int series = find_series(facts, settings.series[index]);
        if (series < 0) continue;  // another regression's, after a split
        const auto* ending = find_ending(conclusion, int(index), line, named);
        if (ending == nullptr) continue;
        EndingFact fact;
        fact.series = series;
        fact.first = ending->first;
        fact.last = ending->last;
        fact.parent = ending->parent;
        fact.culprit = ending->ending == search::Ending::culprit;
        fact.probability = ending->probability;
        fact.reason = ending->reason;
        fact.explained = ending->explained;
        if (index < conclusion.posterior.size()) fact.posterior = conclusion.posterior[index];
        facts.endings.push_back(std::move(fact));
    }
    std::stable_sort(
        facts.endings.begin(), facts.endings.end(), [](const EndingFact& a, const EndingFact& b) {
            return a.series < b.series;
        });
}

std::optional<BenchmarkPlan> find_plan(
    Database& db, const RegressionFacts& facts, const ProjectConfig* project) {
    if (facts.series.empty()) return std::nullopt;
    const SeriesFact& first = facts.series.front();
    const auto fits = [&](const BenchmarkPlan& plan) {
        return plan.benchmark == first.program && plan.variant == first.variant;
    };
    // Of a program with cases the one that is worst.
    const auto of_first = [&](const BenchmarkPlan& plan) {
        auto one = of_all_cases(plan);
        if (first.case_name.empty()) return one;
        if (can_run_alone(one)) one = of_case(std::move(one), first.case_name);
        one.cases.reset();
        one.samples.select = first.case_name;
        return one;
    };
    if (const auto ran = find_job_that_ran(db, facts.bad_build, first.program, first.variant)) {
        const auto job = load_plan(db, *ran);
        const auto found = std::find_if(job.benchmarks.begin(), job.benchmarks.end(), fits);
        if (found != job.benchmarks.end()) return of_first(*found);
    }
    if (project == nullptr) return std::nullopt;
    for (const auto& [name, suite] : project->suites) {
        const auto found = std::find_if(suite.begin(), suite.end(), fits);
        if (found != suite.end()) return of_first(*found);
    }
    return std::nullopt;
}

void load_reproduction(
    Database& db, RegressionFacts& facts, const Config& config, const ProjectConfig* known) {
    facts.reproduction.benchmark = find_plan(db, facts, known);
    if (known == nullptr) return;
    facts.reproduction.source = known->source.kind;
    facts.reproduction.repository = known->source.repository;
    const auto& packages = known->source.packages;
    facts.reproduction.package = packages.empty() ? known->source.package : packages.front();
    facts.reproduction.index = known->source.index;
    facts.reproduction.layout = known->source.layout;
    facts.reproduction.has_more_packages = packages.size() > 1;
    facts.reproduction.recipe = known->recipe;
    if (facts.culprit && are_archives_searched(*known)) {  // two builds of revisions show it
        facts.reproduction.source = SourceKind::git;
        facts.reproduction.recipe = *known->source_recipe;
    }
    if (facts.series.empty()) return;
    const auto machine = config.machine_classes.find(facts.series.front().machine_class);
    if (machine != config.machine_classes.end()) {
        facts.reproduction.environment = machine->second.environment;
    }
}

}  // namespace

int find_series(const RegressionFacts& facts, SeriesId series) {
    for (std::size_t i = 0; i < facts.series.size(); ++i) {
        if (facts.series[i].id == series) return int(i);
    }
    return -1;
}

RegressionFacts load_regression_facts(Database& db, RegressionId regression, const Config& config) {
    RegressionFacts facts;
    facts.marker = load_marker(db, {.regression = regression}).line;
    static_cast<ReportedRegression&>(facts) = load_reported_regression(db, regression);
    facts.reason = without_paths(facts.reason);
    facts.good = load_end_fact(db, facts.good_build);
    facts.bad = load_end_fact(db, facts.bad_build);
    const auto project = config.projects.find(facts.project);
    const ProjectConfig* known = project == config.projects.end() ? nullptr : &project->second;
    facts.links = links_of(config, facts.project);
    for (const auto& one : list_withdrawals(db, facts.found)) {
        facts.withdrawn.push_back(words_of(one));
    }
    facts.missed = list_reported_missed(db, regression);
    facts.answer = find_answer(db, regression);
    facts.hears_comments = hears_comments(config, known);
    facts.on_call = on_call_for(config, known, facts.created_at_s);
    if (facts.state == RegressionState::reported || facts.state == RegressionState::attributed ||
        facts.state == RegressionState::range) {
        facts.answer_by_s = answer_due_s(facts.created_at_s, known);
    }
    load_series_facts(db, facts, known);
    load_same_night(db, facts);
    facts.why = find_why(db, regression);
    if (facts.why && facts.why->culprit != facts.culprit) facts.why.reset();
    facts.revert = find_revert_check(db, regression);
    if (facts.revert && facts.revert->culprit != facts.culprit) facts.revert.reset();
    if (facts.bisection) {
        load_suspects(db, *facts.bisection, facts);
        load_probes(db, *facts.bisection, facts);
        load_endings(db, *facts.bisection, facts);
        load_levels(db, *facts.bisection, facts);
        load_insides(db, *facts.bisection, facts);
    }
    load_others(db, facts.bisection, facts);
    facts.fixes = list_fix_facts(db, regression);
    load_reverted(db, facts);
    facts.earlier = list_earlier_facts(db, regression);
    load_environments(db, facts);
    load_beside(db, facts);
    load_considered(db, facts, known);
    load_reproduction(db, facts, config, known);
    return facts;
}

}  // namespace vigil::service
