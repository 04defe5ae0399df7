#include "service/report/render/probe_reading.hpp"

#include <algorithm>
#include <utility>

#include "bisect/stats/summary.hpp"
#include "service/report/render/sections.hpp"

namespace vigil::service {

using stats::median;

namespace {

/// The series' values of the probe's runs of one commit, those above zero.
std::vector<double> values_at(const ProbeFact& probe, int position, int series) {
    std::vector<double> values;
    for (const auto& run : probe.runs) {
        const auto found = run.values.find(series);
        const bool usable = found != run.values.end() && found->second > 0;
        if (run.position == position && usable) values.push_back(found->second);
    }
    return values;
}

}  // namespace

bool has_run(const ProbeFact& probe, int position) {
    return std::any_of(probe.runs.begin(), probe.runs.end(), [&](const ProbeRunFact& run) {
        return run.position == position;
    });
}

std::optional<int> control_of(const ProbeFact& probe, int last) {
    if (probe.verifies && !probe.positions.empty()) {
        const int parent = *std::min_element(probe.positions.begin(), probe.positions.end());
        if (has_run(probe, parent)) return parent;
    }
    for (const int end : {0, last}) {
        const bool planned =
            std::find(probe.positions.begin(), probe.positions.end(), end) != probe.positions.end();
        if (planned && has_run(probe, end)) return end;
    }
    if (probe.positions.empty() || !has_run(probe, probe.positions.front())) return std::nullopt;
    return probe.positions.front();
}

std::optional<double> change_in(
    const ProbeFact& probe, int position, int control, int series, Direction direction) {
    const auto base = values_at(probe, control, series);
    const auto values = values_at(probe, position, series);
    if (base.empty() || values.empty()) return std::nullopt;
    return change_ratio(median(base), median(values), direction);
}

namespace {

/// Changes against the good build seen at each position, and the runs behind them.
struct Levels {
    std::vector<std::vector<double>> changes;  ///< [suspects]
    std::vector<int> runs;                     ///< [suspects]

    /// Reads a probe whose control lies `offset` times above the good build.
    /// @param with_control  whether the control's own runs count: they tell of it what its median
    ///                      does not
    void read(
        const ProbeFact& probe,
        int control,
        double offset,
        bool with_control,
        int series,
        Direction direction) {
        const auto base = values_at(probe, control, series);
        if (base.empty()) return;
        const double level = median(base);
        for (const auto& run : probe.runs) {
            const auto found = run.values.find(series);
            const bool known = run.position >= 0 && std::size_t(run.position) < changes.size();
            if (!known || found == run.values.end() || found->second <= 0) continue;
            if (run.position == control && !with_control) continue;
            ++runs[std::size_t(run.position)];
            const double change = change_ratio(level, found->second, direction);
            changes[std::size_t(run.position)].push_back(offset * (1 + change) - 1);
        }
    }
};

}  // namespace

std::vector<Mark> levels(const RegressionFacts& facts, int series) {
    const SeriesFact& fact = facts.series[std::size_t(series)];
    const int last = int(facts.suspects.size()) - 1;
    Levels seen{
        std::vector<std::vector<double>>(facts.suspects.size()),
        std::vector<int>(facts.suspects.size(), 0)};
    std::vector<std::pair<const ProbeFact*, int>> verifications;
    for (const auto& probe : facts.probes) {
        const auto control = control_of(probe, last);
        if (!control) continue;
        if (*control != 0 && *control != last) {
            verifications.emplace_back(&probe, *control);
            continue;
        }
        const double offset = *control == 0 ? 1 : 1 + searched_change(facts, fact).change_ratio;
        seen.read(probe, *control, offset, true, series, fact.direction);
    }
    // A culprit is measured against its parent, whose own level the search knows by now.
    for (const auto& [probe, control] : verifications) {
        const auto& parent = seen.changes[std::size_t(control)];
        if (parent.empty()) continue;
        seen.read(*probe, control, 1 + median(parent), false, series, fact.direction);
    }
    std::vector<Mark> marks;
    for (std::size_t at = 0; at < seen.changes.size(); ++at) {
        if (seen.changes[at].empty()) continue;
        marks.push_back({int(at), median(seen.changes[at]), seen.runs[at]});
    }
    return marks;
}

}  // namespace vigil::service
