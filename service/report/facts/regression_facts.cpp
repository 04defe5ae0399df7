#include "service/report/facts/regression_facts.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/report/facts/marker.hpp"
#include "service/report/facts/search_facts.hpp"
#include "service/source/words.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/nights/withdrawals.hpp"
#include "service/watch/night/night_words.hpp"

namespace vigil::service {

namespace {

struct RegressionRow {
    ProjectId project;
    BuildId good_build;
    BuildId bad_build;
    std::optional<BisectionId> bisection;
};

RegressionRow load_row(Database& db, RegressionId id, RegressionFacts& facts) {
    Query row = db.query(
        "SELECT r.project_id, r.good_build_id, r.bad_build_id, r.bisection_id, p.name, r.state, "
        "r.culprit, r.suspects, r.reason, r.nightly_id, n.name, r.split_from_id, r.created_at_s "
        "FROM regression r JOIN project p ON p.id = r.project_id "
        "JOIN nightly n ON n.id = r.nightly_id WHERE r.id = ?1",
        id);
    if (!row.next()) {
        throw Error(Errc::not_found, "loading regression " + to_string(id) + ": there is none");
    }
    facts.id = id;
    facts.project = row.get<std::string>(4);
    facts.state = row.get<RegressionState>(5);
    facts.culprit = row.get<std::optional<Revision>>(6);
    const auto left = wire::parse_json(row.get<std::string>(7), "regression.suspects");
    for (const auto& revision : left) facts.left.emplace_back(revision.get<std::string>());
    facts.reason = without_paths(row.get<std::string>(8));
    facts.found = row.get<NightlyId>(9);
    facts.found_night = row.get<std::string>(10);
    facts.split_from = row.get<std::optional<RegressionId>>(11);
    facts.created_at_s = row.get<std::int64_t>(12);
    return {
        row.get<ProjectId>(0),
        row.get<BuildId>(1),
        row.get<BuildId>(2),
        row.get<std::optional<BisectionId>>(3)};
}

EndFact load_end(Database& db, BuildId build) {
    EndFact end;
    Query row = db.query(
        "SELECT b.revision, n.version, n.name, a.url FROM build b "
        "LEFT JOIN nightly n ON n.build_id = b.id "
        // By its digest: a '+' keeps from reading all of the project's.
        "LEFT JOIN artifact a ON a.digest = b.input_digest AND +a.project_id = b.project_id "
        "AND a.state = 'fetched' WHERE b.id = ?1 ORDER BY n.beside IS NOT NULL, n.id, a.id DESC "
        "LIMIT 1",
        build);
    if (!row.next()) return end;
    end.revision = row.get<Revision>(0);
    end.version = row.get<std::optional<std::string>>(1).value_or("");
    end.night = row.get<std::optional<std::string>>(2).value_or("");
    end.url = row.get<std::optional<std::string>>(3).value_or("");
    return end;
}

std::optional<Comparison> parse_column(const std::string& text, const char* column) {
    const auto value = wire::parse_json(text, column);
    if (value.empty()) return std::nullopt;
    return wire::parse_comparison(value);
}

void load_series_facts(Database& db, RegressionFacts& facts, const ProjectConfig* project) {
    Query row = db.query(
        "SELECT s.id, s.benchmark, s.variant, m.name, s.metric, s.unit, s.direction, u.verdict, "
        "u.confirmed, rs.verified, u.reason, n.name FROM regression_series rs "
        "JOIN series s ON s.id = rs.series_id JOIN machine_class m ON m.id = s.machine_class_id "
        "JOIN suspicion u ON u.id = rs.suspicion_id "
        "LEFT JOIN nightly n ON n.id = rs.recovered_nightly_id "
        "WHERE rs.regression_id = ?1 ORDER BY s.id",
        facts.id);
    while (row.next()) {
        SeriesFact series;
        series.id = row.get<SeriesId>(0);
        series.benchmark = row.get<std::string>(1);
        series.variant = row.get<std::string>(2);
        series.machine_class = row.get<std::string>(3);
        series.metric = row.get<Metric>(4);
        series.unit = row.get<std::string>(5);
        series.direction = row.get<Direction>(6);
        series.verdict = row.get<std::optional<Verdict>>(7).value_or(Verdict::regression);
        series.confirmed =
            parse_column(row.get<std::string>(8), "suspicion.confirmed").value_or(Comparison{});
        series.verified = parse_column(row.get<std::string>(9), "regression_series.verified");
        series.rule = row.get<std::string>(10);
        series.recovered_night = row.get<std::optional<std::string>>(11).value_or("");
        if (project != nullptr) {
            series.threshold = threshold_of(project->thresholds, series.metric);
        }
        facts.series.push_back(std::move(series));
    }
    std::stable_sort(
        facts.series.begin(), facts.series.end(), [](const SeriesFact& a, const SeriesFact& b) {
            return a.confirmed.change_ratio > b.confirmed.change_ratio;
        });
}

void load_endings(Database& db, BisectionId bisection, RegressionFacts& facts) {
    Query row = db.query("SELECT settings, conclusion FROM bisection WHERE id = ?1", bisection);
    if (!row.next()) return;
    const auto settings = parse_settings(row.get<std::string>(0));
    const auto conclusion = parse_conclusion(row.get<std::string>(1));
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
        return plan.benchmark == first.benchmark && plan.variant == first.variant;
    };
    const auto frozen = db.find<std::string>(
        "SELECT j.plan FROM run r JOIN job j ON j.id = r.job_id WHERE r.build_id = "
        "(SELECT bad_build_id FROM regression WHERE id = ?1) AND r.benchmark = ?2 "
        "AND r.variant = ?3 ORDER BY r.id DESC LIMIT 1",
        facts.id,
        first.benchmark,
        first.variant);
    if (frozen) {
        const auto job = wire::parse_job_plan(wire::parse_json(*frozen, "job.plan"));
        const auto found = std::find_if(job.benchmarks.begin(), job.benchmarks.end(), fits);
        if (found != job.benchmarks.end()) return *found;
    }
    if (project == nullptr) return std::nullopt;
    for (const auto& [name, suite] : project->suites) {
        const auto found = std::find_if(suite.begin(), suite.end(), fits);
        if (found != suite.end()) return *found;
    }
    return std::nullopt;
}

void load_reproduction(Database& db, RegressionFacts& facts, const Config& config) {
    const auto project = config.projects.find(facts.project);
    const ProjectConfig* known = project == config.projects.end() ? nullptr : &project->second;
    facts.reproduction.benchmark = find_plan(db, facts, known);
    if (known == nullptr) return;
    facts.reproduction.source = known->source.kind;
    facts.reproduction.repository = known->source.repository;
    facts.reproduction.package = known->source.package;
    facts.reproduction.recipe = known->recipe;
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
    facts.marker = load_marker(db, regression).line;
    const RegressionRow row = load_row(db, regression, facts);
    facts.good = load_end(db, row.good_build);
    facts.bad = load_end(db, row.bad_build);
    const auto project = config.projects.find(facts.project);
    const ProjectConfig* known = project == config.projects.end() ? nullptr : &project->second;
    facts.links = links_of(config, facts.project);
    for (const auto& one : list_withdrawals(db, facts.found)) {
        facts.withdrawn.push_back(words_of(one));
    }
    load_series_facts(db, facts, known);
    if (row.bisection) {
        load_suspects(db, *row.bisection, facts);
        load_probes(db, *row.bisection, facts);
        load_endings(db, *row.bisection, facts);
        load_insides(db, *row.bisection, facts);
    }
    load_others(db, row.bisection, facts);
    facts.mendings = load_mendings(db, regression);
    facts.earlier = load_earlier(db, regression);
    load_environments(db, facts);
    load_considered(db, row.project, facts, known);
    load_reproduction(db, facts, config);
    return facts;
}

}  // namespace vigil::service
