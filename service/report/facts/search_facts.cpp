#include "service/report/facts/search_facts.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/report/facts/metric_words.hpp"
#include "service/source/words.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"

namespace vigil::service {

namespace {

using ValuesByFact = std::map<std::string, std::set<std::string>>;

/// Adds the facts of each environment that the query names; false when it names none.
bool gather(Query rows, ValuesByFact& values) {
    bool any = false;
    while (rows.next()) {
        any = true;
        const auto facts = wire::parse_json(rows.get<std::string>(0), "environment.facts");
        for (const auto& [name, value] : facts.items()) {
            values[name].insert(value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    return any;
}

std::string joined(const ValuesByFact& values, const std::string& name) {
    const auto found = values.find(name);
    if (found == values.end()) return "not recorded";
    std::string text;
    for (const auto& value : found->second) text += (text.empty() ? "" : ", ") + value;
    return text;
}

std::vector<DifferenceFact> differences(const ValuesByFact& good, const ValuesByFact& bad) {
    std::set<std::string> names;
    for (const auto& [name, values] : good) names.insert(name);
    for (const auto& [name, values] : bad) names.insert(name);
    std::vector<DifferenceFact> found;
    for (const auto& name : names) {
        DifferenceFact difference{name, joined(good, name), joined(bad, name)};
        if (difference.good != difference.bad) found.push_back(std::move(difference));
    }
    return found;
}

std::vector<ProbeRunFact> load_probe_runs(
    Database& db, ProbeId probe, const RegressionFacts& facts, BisectionId bisection) {
    // One row for each value; runs without one come once, with NULL.
    Query row = db.query(
        "SELECT r.id, s.position, r.outcome, r.message, m.series_id, m.median FROM job j "
        "CROSS JOIN run r ON r.job_id = j.id "
        "CROSS JOIN suspect s ON s.bisection_id = ?2 AND s.build_id = r.build_id "
        "LEFT JOIN judged_measurement m ON m.run_id = r.id WHERE j.probe_id = ?1 "
        "AND r.attempt = (SELECT max(attempt) FROM run WHERE job_id = j.id) "
        "ORDER BY r.started_at_ns, r.id",
        probe,
        bisection);
    std::vector<ProbeRunFact> runs;
    while (row.next()) {
        const auto id = row.get<RunId>(0);
        if (runs.empty() || runs.back().run != id) {
            ProbeRunFact run;
            run.run = id;
            run.position = row.get<int>(1);
            run.outcome = row.get<Outcome>(2);
            run.message = row.get<std::string>(3);
            runs.push_back(std::move(run));
        }
        const auto series = row.get<std::optional<SeriesId>>(4);
        const int index = series ? find_series(facts, *series) : -1;
        if (index >= 0) runs.back().values[index] = row.get<double>(5);
    }
    return runs;
}

}  // namespace

void load_suspects(Database& db, BisectionId bisection, RegressionFacts& facts) {
    Query row = db.query(
        "SELECT s.position, s.revision, s.parent, s.merge, s.subject, s.author, s.authored_at_s, "
        "EXISTS (SELECT 1 FROM product p WHERE p.build_id = s.build_id AND p.state = 'built'), "
        "(SELECT p.message FROM product p WHERE p.build_id = s.build_id AND p.state = 'failed' "
        "ORDER BY p.id DESC LIMIT 1), b.input_error, s.pins, "
        "(SELECT p.log_digest FROM product p WHERE p.build_id = s.build_id AND p.state = 'failed' "
        "ORDER BY p.id DESC LIMIT 1) "
        "FROM suspect s LEFT JOIN build b ON b.id = s.build_id "
        "WHERE s.bisection_id = ?1 ORDER BY s.position",
        bisection);
    while (row.next()) {
        SuspectFact suspect;
        suspect.position = row.get<int>(0);
        suspect.revision = row.get<Revision>(1);
        suspect.parent = row.get<std::optional<Revision>>(2).value_or(Revision{});
        suspect.merge = row.get<bool>(3);
        suspect.subject = row.get<std::string>(4);
        suspect.author = row.get<std::string>(5);
        suspect.authored_at_s = row.get<std::int64_t>(6);
        suspect.pins = row.get<std::string>(10);
        suspect.has_product = row.get<bool>(7);
        const auto failure = row.get<std::optional<std::string>>(8);
        const auto no_input = row.get<std::optional<std::string>>(9).value_or("");
        if (!suspect.has_product && (failure || !no_input.empty())) {
            suspect.build_failure =
                no_input.empty() ? failure.value_or("") : without_paths(no_input);
            if (suspect.build_failure.empty()) suspect.build_failure = "the build failed";
            suspect.build_log = row.get<std::optional<Digest>>(11);
        }
        facts.suspects.push_back(std::move(suspect));
    }
}

void load_probes(Database& db, BisectionId bisection, RegressionFacts& facts) {
    std::vector<std::pair<ProbeId, ProbeFact>> probes;
    {
        Query row = db.query(
            "SELECT p.id, p.number, p.plan, p.state, m.name FROM probe p "
            "LEFT JOIN job j ON j.probe_id = p.id "
            "LEFT JOIN machine_class m ON m.id = j.machine_class_id "
            "WHERE p.bisection_id = ?1 GROUP BY p.id ORDER BY p.number",
            bisection);
        while (row.next()) {
            const auto plan = parse_probe_plan(row.get<std::string>(2));
            ProbeFact probe;
            probe.number = row.get<int>(1);
            probe.verifies = plan.purpose == search::ProbePurpose::verify;
            probe.open = row.get<std::string>(3) == "open";
            probe.machine_class = row.get<std::optional<std::string>>(4).value_or("");
            probe.why = plan.why;
            probe.positions = plan.commits;
            probes.emplace_back(row.get<ProbeId>(0), std::move(probe));
        }
    }
    for (auto& [id, probe] : probes) {
        probe.runs = load_probe_runs(db, id, facts, bisection);
        facts.probes.push_back(std::move(probe));
    }
}

void load_environments(Database& db, RegressionFacts& facts) {
    static constexpr const char* of_session =
        "SELECT DISTINCT e.facts FROM regression_series rs "
        "JOIN suspicion u ON u.id = rs.suspicion_id JOIN session s ON s.id = u.session_id "
        "JOIN job j ON j.session_id = s.id JOIN run r ON r.job_id = j.id "
        "JOIN environment e ON e.id = r.environment_id WHERE rs.regression_id = ?1 "
        "AND (r.build_id <> s.b_build_id) = ?2";
    static constexpr const char* of_night =
        "SELECT DISTINCT e.facts FROM regression_series rs "
        "JOIN suspicion u ON u.id = rs.suspicion_id "
        "JOIN series s ON s.id = rs.series_id "
        "JOIN job j ON j.purpose = 'nightly' "
        "AND j.nightly_id = CASE WHEN ?2 THEN u.good_nightly_id ELSE u.nightly_id END "
        "JOIN run r ON r.job_id = j.id AND r.machine_class_id = s.machine_class_id "
        "JOIN environment e ON e.id = r.environment_id WHERE rs.regression_id = ?1";
    const auto compare = [&](const char* sql, bool& known, std::vector<DifferenceFact>& found) {
        ValuesByFact good;
        ValuesByFact bad;
        const bool has_good = gather(db.query(sql, facts.id, true), good);
        const bool has_bad = gather(db.query(sql, facts.id, false), bad);
        known = has_good && has_bad;
        if (known) found = differences(good, bad);
    };
    compare(of_session, facts.session_environment_known, facts.session_environment);
    compare(of_night, facts.night_environment_known, facts.night_environment);
}

void load_considered(
    Database& db, ProjectId project_id, RegressionFacts& facts, const ProjectConfig* project) {
    static constexpr std::size_t max_names = 6;
    Query counts = db.query(
        "SELECT u.verdict, count(*) FROM suspicion u JOIN series s ON s.id = u.series_id "
        "WHERE u.nightly_id = ?1 AND s.project_id = ?2 AND u.verdict IS NOT NULL GROUP BY 1",
        facts.found,
        project_id);
    while (counts.next()) facts.verdicts[counts.get<Verdict>(0)] = counts.get<int>(1);

    // Series of the regression's own benchmarks are the telling ones, so they come first.
    Query row = db.query(
        "SELECT s.benchmark, s.variant, c.name, s.metric, "
        "EXISTS (SELECT 1 FROM suspicion u WHERE u.series_id = s.id AND u.nightly_id = ?1) "
        "FROM series s JOIN machine_class c ON c.id = s.machine_class_id WHERE s.id IN "
        "(SELECT m.series_id FROM job j JOIN run r ON r.job_id = j.id "
        "JOIN judged_measurement m ON m.run_id = r.id WHERE j.nightly_id = ?1 AND j.purpose = "
        "'nightly') "
        "ORDER BY s.benchmark NOT IN (SELECT x.benchmark FROM regression_series rs "
        "JOIN series x ON x.id = rs.series_id WHERE rs.regression_id = ?2), s.id",
        facts.found,
        facts.id);
    while (row.next()) {
        const auto metric = row.get<Metric>(3);
        const bool judged = project == nullptr ||
                            std::find(project->judged.begin(), project->judged.end(), metric) !=
                                project->judged.end();
        if (!judged) continue;
        ++facts.measured_series;
        if (row.get<bool>(4)) continue;
        ++facts.unmoved_series;
        if (facts.unmoved_names.size() == max_names) continue;
        facts.unmoved_names.push_back(fmt::format(
            "{} ({}) on {}, {}",
            row.get<std::string>(0),
            row.get<std::string>(1),
            row.get<std::string>(2),
            metric_words(metric)));
    }
}

}  // namespace vigil::service
