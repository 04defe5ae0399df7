#include "service/watch/search/bisection_facts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "service/store/work/builds.hpp"

namespace vigil::service {

namespace {

struct Reader {
    Database& db;
    BisectionId bisection;
    const BisectionSettings& settings;
    BisectionFacts out;
    std::map<BuildId, int> position_of;
    std::map<int, int> failed_runs;  ///< commit -> runs that gave no value although it was built

    int last() const { return static_cast<int>(out.builds.size()) - 1; }

    void read_suspects() {
        auto rows = db.query(
            "SELECT build_id, revision FROM suspect WHERE bisection_id = ?1 ORDER BY position",
            bisection);
        while (rows.next()) {
            out.line.push_back(rows.get<Revision>(1));
            out.builds.push_back(rows.get<std::optional<BuildId>>(0).value_or(BuildId{}));
        }
        for (int i = 0; i <= last(); ++i) {
            const auto build = out.builds[static_cast<std::size_t>(i)];
            if (build.value != 0) position_of.emplace(build, i);
        }
    }

    // Runs of one job's newest attempt become observations of every series they measured.
    void read_runs(JobId job, int probe, const search::ProbeRequest& plan) {
        auto runs = db.query(
            "SELECT r.id, r.build_id, r.outcome = 'passed' FROM run r "
            "JOIN job j ON j.id = r.job_id AND r.attempt = j.attempt WHERE j.id = ?1 "
            "ORDER BY r.step",
            job);
        bool any = false;
        while (runs.next()) {
            any = true;
            const auto position = position_of.find(runs.get<BuildId>(1));
            if (position == position_of.end()) continue;
            const auto run = runs.get<RunId>(0);
            if (runs.get<bool>(2)) {
                read_values(run, position->second, probe, plan);
            } else {
                ++failed_runs[position->second];
            }
            read_outcome(run, position->second, probe, plan, runs.get<bool>(2) ? 1 : 2);
        }
        if (!any) ++out.lost_probes;
    }

    void observe(
        int series, double value, int commit, int probe, const search::ProbeRequest& plan) {
        out.facts.observations.push_back(
            {.probe = probe,
             .purpose = plan.purpose,
             .commit = commit,
             .series = series,
             .value = value});
    }

    bool is_by_outcome(int series) const {
        const auto& all = settings.by_outcome;
        return std::find(all.begin(), all.end(), series) != all.end();
    }

    void read_values(RunId run, int commit, int probe, const search::ProbeRequest& plan) {
        auto values =
            db.query("SELECT series_id, median FROM judged_measurement WHERE run_id = ?1", run);
        std::map<SeriesId, double> by_series;
        while (values.next()) by_series[values.get<SeriesId>(0)] = values.get<double>(1);
        for (int i = 0; i < static_cast<int>(settings.series.size()); ++i) {
            const auto value = by_series.find(settings.series[static_cast<std::size_t>(i)]);
            if (value == by_series.end() || is_by_outcome(i)) continue;
            observe(i, value->second, commit, probe, plan);
        }
    }

    // A variant that no longer runs is searched by that alone, as if it were a number.
    void read_outcome(
        RunId run, int commit, int probe, const search::ProbeRequest& plan, double value) {
        for (const int i : settings.by_outcome) {
            const bool mine =
                db.find<int>(
                      "SELECT 1 FROM run r JOIN series s ON s.benchmark = r.benchmark "
                      "AND s.variant = r.variant AND s.machine_class_id = r.machine_class_id "
                      "WHERE r.id = ?1 AND s.id = ?2",
                      run,
                      settings.series.at(static_cast<std::size_t>(i)))
                    .has_value();
            if (mine) observe(i, value, commit, probe, plan);
        }
    }

    // Confirmation's A/B runs come first: nothing is measured twice.
    void read_sessions() {
        for (std::size_t k = 0; k < settings.sessions.size(); ++k) {
            auto jobs = db.query(
                "SELECT id FROM job WHERE session_id = ?1 AND state = 'done' ORDER BY id",
                settings.sessions[k]);
            while (jobs.next()) read_runs(jobs.get<JobId>(0), -1 - static_cast<int>(k), {});
        }
        out.lost_probes = 0;  // of confirmation's blocks; they are no probes
    }

    void read_probes() {
        auto rows = db.query(
            "SELECT p.number, p.plan, p.state = 'open', j.id FROM probe p "
            "LEFT JOIN job j ON j.probe_id = p.id WHERE p.bisection_id = ?1 ORDER BY p.number",
            bisection);
        while (rows.next()) {
            const int number = rows.get<int>(0);
            const auto plan = parse_probe_plan(rows.get<std::string>(1));
            out.facts.asked.push_back(plan);
            if (rows.get<bool>(2)) {
                out.facts.open_probes.push_back(number);
                continue;
            }
            if (const auto job = rows.get<std::optional<JobId>>(3)) read_runs(*job, number, plan);
        }
    }

    void read_builds() {
        std::map<std::string, int> numbers;
        out.facts.product.assign(out.builds.size(), -1);
        for (int i = 0; i <= last(); ++i) {
            const auto build = out.builds[static_cast<std::size_t>(i)];
            if (build.value == 0) continue;
            const auto facts = load_build_facts(db, build);
            if (facts.built) out.facts.built.push_back(i);
            if (facts.no_input) out.facts.failures.push_back({i, 99, false});
            if (facts.failures > 0) out.facts.failures.push_back({i, facts.failures, false});
            // Products compare only within one toolchain; the least name stands for the fleet.
            const auto product = db.find<std::string>(
                "SELECT toolchain || digest FROM product WHERE build_id = ?1 AND state = 'built' "
                "ORDER BY toolchain LIMIT 1",
                build);
            if (!product) continue;
            const auto number = static_cast<int>(numbers.size());
            out.facts.product[static_cast<std::size_t>(i)] =
                numbers.emplace(*product, number).first->second;
        }
        for (const auto& [commit, times] : failed_runs) {
            const auto& seen = out.facts.observations;
            const bool measured = std::any_of(
                seen.begin(), seen.end(), [&](const auto& o) { return o.commit == commit; });
            if (!measured) out.facts.failures.push_back({commit, times, true});
        }
    }
};

}  // namespace

BisectionFacts load_bisection_facts(
    Database& db, BisectionId bisection, const BisectionSettings& settings) {
    Reader reader{db, bisection, settings, {}, {}, {}};
    reader.read_suspects();
    reader.read_sessions();
    reader.read_probes();
    reader.read_builds();
    return std::move(reader.out);
}

}  // namespace vigil::service
