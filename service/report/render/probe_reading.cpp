#include "service/report/render/probe_reading.hpp"

#include <algorithm>

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

}  // namespace vigil::service
