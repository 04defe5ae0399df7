#include "service/watch/search/bisection_facts.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "service/store/findings/probes.hpp"
#include "service/store/findings/suspects.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/measured_runs.hpp"
#include "service/store/work/products.hpp"

namespace vigil::service {

namespace {

struct Reader {
    Database& db;
    const BisectionRow& bisection;
    std::vector<SuspectRow> suspects;
    std::map<BuildId, int> position_of = {};
    std::map<int, SeriesRow> by_outcome = {};  ///< series that no longer run, by index
    std::map<int, int> failed_runs =
        {};  ///< commit -> runs that gave no value although it was built
    BisectionFacts out = {};

    void read_suspects() {
        for (int i = 0; i < static_cast<int>(suspects.size()); ++i) {
            const auto& suspect = suspects[static_cast<std::size_t>(i)];
            out.line.push_back(suspect.revision);
            if (suspect.build) position_of.emplace(*suspect.build, i);
        }
        for (const int i : bisection.settings.by_outcome) {
            const auto series = bisection.settings.series.at(static_cast<std::size_t>(i));
            by_outcome.emplace(i, load_series(db, series));
        }
    }

    // Runs of one job's newest attempt become observations of every series they measured.
    void read_runs(JobId job, int probe, search::ProbePurpose purpose) {
        const auto runs = list_measured_runs(db, job);
        if (runs.empty()) ++out.lost_probes;
        for (const auto& run : runs) {
            const auto position = position_of.find(run.build);
            if (position == position_of.end()) continue;
            const int commit = position->second;
            const auto observe = [&](int series, double value) {
                out.facts.observations.push_back(
                    {.probe = probe,
                     .purpose = purpose,
                     .commit = commit,
                     .series = series,
                     .value = value});
            };
            if (run.passed) {
                read_values(run, observe);
            } else {
                ++failed_runs[commit];
            }
            read_outcome(run, observe);
        }
    }

    template <class Observe>
    void read_values(const MeasuredRun& run, const Observe& observe) const {
        const auto& series = bisection.settings.series;
        for (int i = 0; i < static_cast<int>(series.size()); ++i) {
            const auto value = run.values.find(series[static_cast<std::size_t>(i)]);
            if (value != run.values.end() && !by_outcome.contains(i)) observe(i, value->second);
        }
    }

    // A variant that no longer runs is searched by that alone, as if it were a number.
    template <class Observe>
    void read_outcome(const MeasuredRun& run, const Observe& observe) const {
        for (const int i : bisection.settings.by_outcome) {
            const auto& series = by_outcome.at(i);
            const bool mine = series.benchmark == run.benchmark && series.variant == run.variant &&
                              series.machine_class == run.machine_class;
            if (mine) observe(i, run.passed ? 1 : 2);
        }
    }

    // Confirmation's A/B runs come first: nothing is measured twice.
    void read_sessions() {
        int number = -1;
        for (const auto session : bisection.settings.sessions) {
            for (const auto job : list_done_jobs(db, session)) read_runs(job, number, {});
            --number;
        }
        out.lost_probes = 0;  // of confirmation's blocks; they are no probes
    }

    void read_probes() {
        for (auto& probe : list_probes(db, bisection.id)) {
            if (probe.is_open) {
                out.facts.open_probes.push_back(probe.number);
            } else if (probe.job) {
                read_runs(*probe.job, probe.number, probe.plan.purpose);
            }
            out.facts.asked.push_back(std::move(probe.plan));
        }
    }

    void read_builds() {
        std::map<std::string, int> numbers;
        out.facts.product.assign(suspects.size(), -1);
        for (int i = 0; i < static_cast<int>(suspects.size()); ++i) {
            const auto build = suspects[static_cast<std::size_t>(i)].build;
            if (!build) continue;
            const auto facts = load_build_facts(db, *build);
            if (facts.built) out.facts.built.push_back(i);
            if (facts.no_input) out.facts.failures.push_back({i, 99, false});
            if (facts.failures > 0) out.facts.failures.push_back({i, facts.failures, false});
            const auto product = find_product_name(db, *build);
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

BisectionFacts load_bisection_facts(Database& db, const BisectionRow& bisection) {
    Reader reader{db, bisection, list_suspects(db, bisection.id)};
    reader.read_suspects();
    reader.read_sessions();
    reader.read_probes();
    reader.read_builds();
    return std::move(reader.out);
}

}  // namespace vigil::service
