#include "service/watch/search/regressions.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "bisect/detect/noise.hpp"
#include "bisect/stats/summary.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/claimers.hpp"
#include "service/store/work/runs.hpp"
#include "service/watch/search/good_end.hpp"
#include "service/watch/search/nights_between.hpp"
#include "service/watch/search/prior.hpp"
#include "service/watch/series/benchmarks.hpp"
#include "service/watch/series/case_runs.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

std::vector<ConfirmedChange> list_judged(
    Database& db, const ProjectConfig& config, NightlyId nightly) {
    auto confirmed = list_confirmed(db, nightly);
    if (config.source.file_unconfirmed) {
        const auto unconfirmed = list_unconfirmed(db, nightly);
        confirmed.insert(confirmed.end(), unconfirmed.begin(), unconfirmed.end());
    }
    std::erase_if(confirmed, [&](const auto& one) { return is_left_out(db, nightly, one.series); });
    return confirmed;
}

int count_workers(
    Database& db,
    const JobConfig& jobs,
    const std::vector<MachineClassId>& groups,
    std::int64_t now_s) {
    const auto seen_since_s = seen_after_s(jobs, now_s);
    int workers = 0;
    for (const auto group : groups) {
        for (const auto& worker : list_class_workers(db, group)) {
            if (worker.is_active() && worker.last_seen_at_s > seen_since_s) ++workers;
        }
    }
    return std::max(workers, 1);
}

// What things take, from the newest of them; the defaults where nothing was built or run yet.
search::Costs costs_of(Database& db, ProjectId project, SeriesId series) {
    search::Costs costs;
    const auto build = find_usual_build_ns(db, project);
    const auto run = find_usual_run_ns(db, series);
    if (!build || !run || *run <= 0) return costs;
    constexpr double least = 0.5;  // a job's own overhead
    constexpr double most = 1000;
    costs.build = std::clamp(*build / *run, least, most);
    return costs;
}

// How the first runs of the level's nights scatter, each of another build: what bounds the layout
// jitter between builds. Nothing from few nights: the search takes it for two dozen.
double spread_of_nights(const std::vector<NightValues>& level, Direction direction) {
    constexpr std::size_t least_nights = 16;
    constexpr double constant = 1e-9;  // 0 would say that it is not known
    if (level.size() < least_nights) return 0;
    std::vector<double> firsts;
    for (const auto& night : level) {
        if (!(night.runs.front() > 0)) return 0;  // the search has its own stand-in of 0
        firsts.push_back(detect::badness(night.runs.front(), direction));
    }
    return std::max(stats::spread(firsts), constant);
}

// What history says of the series' scatter, up to the good night: the verdict has begun a new level
// since. Runs that measure in turns are quieter, and the search learns how quiet from
// confirmation's own.
void learn_from_history(
    Database& db,
    const ProjectConfig& config,
    const SeriesRow& series,
    NightlyId good,
    search::SeriesSpec& spec) {
    const auto plan = find_benchmark(db, config, series.project, variant_of(series));
    if (plan.interleave > 1 && kind_of(series.metric) == MetricKind::time) return;
    const auto level = load_level(db, series.id, good);
    spec.noise = run_noise(level, series.direction).spread;
    spec.nights = spread_of_nights(level, series.direction);
}

constexpr int most_causes = 5;  // that one search has runs and builds for

std::optional<std::string> why_not_searchable(
    const ProjectConfig& config,
    const std::vector<ConfirmedChange>& members,
    const Revision& good,
    const Revision& bad) {
    if (is_external(config)) {
        const bool confirmed = members.front().session.value > 0;
        return confirmed ? "the project is measured elsewhere; single revisions cannot be built"
                         : "not confirmed: cannot be measured here";
    }
    if (good == bad) return "both builds are of one revision";
    // The commits are listed for the report even where none of them can be built.
    return has_history(config) ? std::nullopt : why_no_revisions(config);
}

}  // namespace

std::vector<std::vector<ConfirmedChange>> group_by_good(
    Database& db, const ProjectConfig& config, std::vector<ConfirmedChange> confirmed) {
    constexpr std::size_t neighbouring = 3;  // a few more suspects cost less than a second search
    std::stable_sort(confirmed.begin(), confirmed.end(), [](const auto& a, const auto& b) {
        return a.good_nightly < b.good_nightly;
    });
    std::vector<std::vector<ConfirmedChange>> groups;
    for (auto& one : confirmed) {
        const bool joins = !groups.empty() && [&] {
            const auto oldest = groups.back().front().good_nightly;
            if (build_of(db, oldest) == build_of(db, one.good_nightly)) return true;
            return !why_no_revisions(config) &&
                   list_nights_between(db, oldest, one.good_nightly).size() <= neighbouring;
        }();
        if (!joins) groups.emplace_back();
        groups.back().push_back(one);
    }
    return groups;
}

BisectionSettings search_settings(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    std::optional<NightlyId> nightly,
    const std::vector<ConfirmedChange>& members,
    std::int64_t now_s) {
    BisectionSettings settings;
    std::vector<SuspicionId> suspicions;
    std::vector<SeriesRow> rows;
    for (const auto& member : members) {
        if (!member.by_outcome) suspicions.push_back(member.suspicion);
        const auto& series = rows.emplace_back(load_series(db, member.series));
        auto group =
            std::find(settings.groups.begin(), settings.groups.end(), series.machine_class);
        if (group == settings.groups.end()) {
            settings.groups.push_back(series.machine_class);
            group = std::prev(settings.groups.end());
        }
        settings.series.push_back(member.series);
        settings.specs.push_back(
            {.group = static_cast<int>(group - settings.groups.begin()),
             .direction = series.direction,
             .kind = kind_of(series.metric),
             .threshold = member.threshold.value_or(threshold_of(config, series)),
             .expected_ratio = std::isinf(member.confirmed.change_ratio)
                                   ? search::expected_from_zero
                                   : member.confirmed.change_ratio});
        if (member.good_nightly.value > 0) {
            learn_from_history(db, config, series, member.good_nightly, settings.specs.back());
        }
        settings.costs = costs_of(db, series.project, series.id);
        if (member.by_outcome) {
            auto& spec = settings.specs.back();
            spec = {.group = spec.group, .kind = MetricKind::other, .expected_ratio = 1};
            settings.by_outcome.push_back(static_cast<int>(settings.specs.size()) - 1);
        }
        if (are_archives_searched(config)) {
            auto& spec = settings.specs.back();
            const auto half = 0.5 * std::log1p(std::abs(spec.expected_ratio));
            spec.least_ratio = std::expm1(half);
        }
        auto& sessions = settings.sessions;
        if (std::find(sessions.begin(), sessions.end(), member.session) == sessions.end()) {
            sessions.push_back(member.session);
        }
    }
    const auto alone = choose_cases_alone(db, config, rows, settings.sessions);
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
        const bool runs = std::ranges::count(settings.by_outcome, i) == 0;
        if (runs && !alone[static_cast<std::size_t>(i)].empty()) settings.alone.push_back(i);
    }
    // Each series may have a cause of its own, and they share what is built.
    const int causes = std::clamp(static_cast<int>(members.size()), 1, most_causes);
    settings.budget = {causes * config.search.max_probes, causes * config.search.max_builds};
    settings.budget.further = config.search.further_share;
    settings.workers = count_workers(db, jobs, settings.groups, now_s);
    if (!nightly) return settings;
    settings.nights = load_night_priors(db, members.front().good_nightly, *nightly, suspicions);
    settings.named = list_named(db, *nightly);
    return settings;
}

RegressionId open_regression(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    const NightlyRow& nightly,
    const std::vector<ConfirmedChange>& members,
    std::int64_t now_s) {
    const auto good_build = build_of(db, members.front().good_nightly);
    const auto good = load_revision(db, good_build);
    const auto bad = load_revision(db, nightly.build);
    auto obstacle = why_not_searchable(config, members, good, bad);
    const bool of_nights = good != bad && may_have_between(
                                              config,
                                              load_night_edge(db, members.front().good_nightly),
                                              load_night_edge(db, nightly.id));
    if (of_nights) obstacle.reset();  // archives can be had, whatever is known of their commits
    std::optional<BisectionId> bisection;
    if (!obstacle) {
        const NewBisection search{
            .project = nightly.project,
            .nightly = nightly.id,
            .kind = of_nights ? BisectionKind::nights : BisectionKind::change,
            .good = good,
            .bad = bad,
            .settings = search_settings(db, config, jobs, nightly.id, members, now_s)};
        bisection = add_bisection(db, search, now_s);
    }
    const auto state = obstacle ? RegressionState::range : RegressionState::searching;
    const auto reason = obstacle.value_or("");
    const auto regression = add_regression(
        db,
        {nightly.project, nightly.id, good_build, nightly.build, bisection, state, reason},
        now_s);
    for (const auto& member : members) {
        add_series(db, regression, member.series, member.suspicion);
    }
    const auto words = std::to_string(members.size()) + " series are worse between " +
                       good.brief() + " and " + bad.brief();
    record_regression_event(db, regression, "confirmed", words, now_s);
    record_regression_event(db, regression, to_string(state), reason, now_s);
    return regression;
}

int open_regressions(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    const NightlyRow& nightly,
    std::int64_t now_s) {
    auto groups = group_by_good(db, config, list_judged(db, config, nightly.id));
    for (auto& members : groups) {
        if (!why_no_revisions(config)) move_good_end(db, nightly.id, members);
        open_regression(db, config, jobs, nightly, members, now_s);
    }
    return static_cast<int>(groups.size());
}

}  // namespace vigil::service
