#include "service/watch/search/regressions.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "bisect/detect/noise.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/workers.hpp"
#include "service/watch/search/prior.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

namespace {

struct Confirmed {
    SuspicionId id;
    SeriesId series;
    NightlyId good_nightly;
    SessionId session;
    double change_ratio = 0;
    bool by_outcome = false;  ///< it no longer runs
};

std::vector<Confirmed> list_confirmed(Database& db, NightlyId nightly) {
    std::vector<Confirmed> confirmed;
    auto rows = db.query(
        "SELECT s.id, s.series_id, s.good_nightly_id, s.session_id, s.confirmed, s.kind = "
        "'outcome' "
        "FROM suspicion s "
        "WHERE s.nightly_id = ?1 AND s.verdict IN ('regression', 'broken') AND s.session_id IS NOT "
        "NULL "
        "AND NOT EXISTS (SELECT 1 FROM regression_series r WHERE r.suspicion_id = s.id) "
        "ORDER BY s.id",
        nightly);
    while (rows.next()) {
        const auto comparison = wire::parse_comparison(
            wire::parse_json(rows.get<std::string>(4), "suspicion.confirmed"));
        confirmed.push_back(
            {rows.get<SuspicionId>(0),
             rows.get<SeriesId>(1),
             rows.get<NightlyId>(2),
             rows.get<SessionId>(3),
             comparison.change_ratio,
             rows.get<bool>(5)});
    }
    std::erase_if(
        confirmed, [&](const Confirmed& one) { return is_left_out(db, nightly, one.series); });
    return confirmed;
}

int count_workers(
    Database& db,
    const JobConfig& jobs,
    const std::vector<MachineClassId>& groups,
    std::int64_t now_s) {
    int workers = 0;
    for (const auto group : groups) {
        workers += db.find<int>(
                         "SELECT COUNT(*) FROM worker WHERE machine_class_id = ?1 "
                         "AND state = 'active' AND last_seen_at_s > ?2",
                         group,
                         seen_after_s(jobs, now_s))
                       .value_or(0);
    }
    return std::max(workers, 1);
}

// What things take, from the newest of them; the defaults where nothing was built or run yet.
search::Costs costs_of(Database& db, ProjectId project, SeriesId series) {
    search::Costs costs;
    const auto build = db.find<std::optional<double>>(
        "SELECT AVG(duration_ns) FROM (SELECT p.duration_ns FROM product p "
        "CROSS JOIN build b ON b.id = p.build_id WHERE b.project_id = ?1 AND p.state = 'built' "
        "ORDER BY p.id DESC LIMIT 20)",
        project);
    const auto run = db.find<std::optional<double>>(
        "SELECT AVG(duration_ns) FROM (SELECT r.duration_ns FROM measurement m "
        "CROSS JOIN run r ON r.id = m.run_id WHERE m.series_id = ?1 ORDER BY m.run_id DESC LIMIT "
        "20)",
        series);
    if (!build || !*build || !run || !*run || **run <= 0) return costs;
    constexpr double least = 0.5;  // a job's own overhead
    constexpr double most = 1000;
    costs.build = std::clamp(**build / **run, least, most);
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
        if (!(night.runs.front() > 0)) return 0;
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
    const auto plan = find_benchmark(db, config, series.project, series.benchmark, series.variant);
    if (plan.interleave > 1 && kind_of(series.metric) == MetricKind::time) return;
    const auto level = load_level(db, series.id, good);
    spec.noise = run_noise(level, series.direction).spread;
    spec.nights = spread_of_nights(level, series.direction);
}

constexpr int most_causes = 5;  // that one search has runs and builds for

// One group for each machine class; the sessions of confirmation are the search's first runs.
BisectionSettings settings_of(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    NightlyId nightly,
    const std::vector<Confirmed>& members,
    std::int64_t now_s) {
    BisectionSettings settings;
    std::vector<SuspicionId> suspicions;
    for (const auto& member : members) {
        if (!member.by_outcome) suspicions.push_back(member.id);
        const auto series = load_series(db, member.series);
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
             .threshold = threshold_of(config.thresholds, series.metric),
             .expected_ratio = member.change_ratio});
        learn_from_history(db, config, series, member.good_nightly, settings.specs.back());
        settings.costs = costs_of(db, series.project, series.id);
        if (member.by_outcome) {
            auto& spec = settings.specs.back();
            spec = {.group = spec.group, .kind = MetricKind::other, .expected_ratio = 1};
            settings.by_outcome.push_back(static_cast<int>(settings.specs.size()) - 1);
        }
        auto& sessions = settings.sessions;
        if (std::find(sessions.begin(), sessions.end(), member.session) == sessions.end()) {
            sessions.push_back(member.session);
        }
    }
    // Each series may have a cause of its own, and they share what is built.
    const int causes = std::clamp(static_cast<int>(members.size()), 1, most_causes);
    settings.budget = {causes * config.search.max_probes, causes * config.search.max_builds};
    settings.workers = count_workers(db, jobs, settings.groups, now_s);
    settings.nights = load_night_priors(db, members.front().good_nightly, nightly, suspicions);
    settings.named = list_named(db, nightly);
    return settings;
}

std::optional<std::string> why_not_searchable(
    const ProjectConfig& config, const Revision& good, const Revision& bad) {
    if (good == bad) return "both builds are of one revision";
    if (config.source.kind == SourceKind::git) return std::nullopt;
    return "the project's builds come as archives; single revisions cannot be built";
}

RegressionId open_regression(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    ProjectId project,
    NightlyId nightly,
    BuildId good,
    BuildId bad,
    const std::vector<Confirmed>& members,
    std::int64_t now_s) {
    const auto good_revision = load_revision(db, good);
    const auto bad_revision = load_revision(db, bad);
    const auto obstacle = why_not_searchable(config, good_revision, bad_revision);
    std::optional<BisectionId> bisection;
    if (!obstacle) {
        db.execute(
            "INSERT INTO bisection(project_id, nightly_id, good_revision, bad_revision, state, "
            "planner, settings, created_at_s) VALUES (?1, ?2, ?3, ?4, 'listing', ?5, ?6, ?7)",
            project,
            nightly,
            good_revision,
            bad_revision,
            search::planner_version,
            to_text(settings_of(db, config, jobs, nightly, members, now_s)),
            now_s);
        bisection = BisectionId{db.last_insert_id()};
    }
    db.execute(
        "INSERT INTO regression(project_id, nightly_id, state, good_build_id, bad_build_id, "
        "bisection_id, created_at_s, changed_at_s) VALUES (?1, ?2, 'confirmed', ?3, ?4, ?5, ?6, "
        "?6)",
        project,
        nightly,
        good,
        bad,
        bisection,
        now_s);
    const RegressionId regression{db.last_insert_id()};
    for (const auto& member : members) {
        db.execute(
            "INSERT INTO regression_series(regression_id, series_id, suspicion_id) "
            "VALUES (?1, ?2, ?3)",
            regression,
            member.series,
            member.id);
    }
    const auto size = std::to_string(members.size());
    record_event(
        db,
        now_s,
        "regression.confirmed",
        project,
        "regression/" + to_string(regression),
        size + " series are worse between " + good_revision.brief() + " and " +
            bad_revision.brief());
    move_regression(
        db,
        regression,
        obstacle ? RegressionState::range : RegressionState::searching,
        obstacle.value_or(""),
        now_s);
    return regression;
}

int nights_between(Database& db, NightlyId earlier, NightlyId later) {
    return db
        .find<int>(
            "SELECT COUNT(*) FROM night o JOIN nightly n ON n.id = ?2 "
            "AND n.project_id = o.project_id WHERE o.id > ?1 AND o.id <= ?2",
            earlier,
            later)
        .value_or(0);
}

// What is searched together: series held against one good build or, where single revisions can be
// built, against those of neighbouring nights: the oldest of them is the good end of all, the runs
// of the others are runs of suspects. Each group begins with its oldest good night.
std::vector<std::vector<Confirmed>> group_by_good(
    Database& db, const ProjectConfig& config, std::vector<Confirmed> confirmed) {
    constexpr int neighbouring = 3;  // a few more suspects cost less than a second search
    std::stable_sort(confirmed.begin(), confirmed.end(), [](const auto& a, const auto& b) {
        return a.good_nightly < b.good_nightly;
    });
    std::vector<std::vector<Confirmed>> groups;
    for (auto& one : confirmed) {
        const bool joins = !groups.empty() && [&] {
            const auto oldest = groups.back().front().good_nightly;
            if (build_of(db, oldest) == build_of(db, one.good_nightly)) return true;
            return config.source.kind == SourceKind::git &&
                   nights_between(db, oldest, one.good_nightly) <= neighbouring;
        }();
        if (!joins) groups.emplace_back();
        groups.back().push_back(std::move(one));
    }
    return groups;
}

}  // namespace

int open_regressions(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    NightlyId nightly,
    std::int64_t now_s) {
    const auto groups = group_by_good(db, config, list_confirmed(db, nightly));
    if (groups.empty()) return 0;
    const auto bad = build_of(db, nightly);
    const auto project =
        *db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly);
    for (const auto& members : groups) {
        const auto good = build_of(db, members.front().good_nightly);
        open_regression(db, config, jobs, project, nightly, good, bad, members, now_s);
    }
    return static_cast<int>(groups.size());
}

}  // namespace vigil::service
