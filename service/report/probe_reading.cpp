#include "service/report/probe_reading.hpp"

#include <algorithm>

namespace vigil::service {

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> values_at(const ProbeFact& probe, int position, int series) {
    std::vector<double> values;
    for (const auto& run : probe.runs) {
        const auto found = run.values.find(series);
        const bool usable = found != run.values.end() && found->second > 0;
        if (run.position == position && usable) values.push_back(found->second);
    }
    return values;
}

bool has_run(const ProbeFact& probe, int position) {
    return std::any_of(probe.runs.begin(), probe.runs.end(), [&](const ProbeRunFact& run) {
        return run.position == position;
    });
}

std::optional<int> control_of(const ProbeFact& probe, int last) {
    if (probe.verifies && !probe.positions.empty() && has_run(probe, probe.positions.front())) {
        return probe.positions.front();
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

std::vector<Mark> levels(const RegressionFacts& facts, int series) {
    const SeriesFact& fact = facts.series[std::size_t(series)];
    const int last = int(facts.suspects.size()) - 1;
    std::vector<std::vector<double>> changes(facts.suspects.size());
    std::vector<int> runs(facts.suspects.size(), 0);
    for (const auto& probe : facts.probes) {
        const auto control = control_of(probe, last);
        if (!control || (*control != 0 && *control != last)) continue;
        const double offset = *control == 0 ? 1 : 1 + fact.confirmed.change_ratio;
        const auto base = values_at(probe, *control, series);
        if (base.empty()) continue;
        const double level = median(base);
        for (const auto& run : probe.runs) {
            const auto found = run.values.find(series);
            const bool known = run.position >= 0 && run.position <= last;
            if (!known || found == run.values.end() || found->second <= 0) continue;
            const auto at = std::size_t(run.position);
            ++runs[at];
            const double change = change_ratio(level, found->second, fact.direction);
            changes[at].push_back(offset * (1 + change) - 1);
        }
    }
    std::vector<Mark> marks;
    for (std::size_t at = 0; at < changes.size(); ++at) {
        if (!changes[at].empty()) marks.push_back({int(at), median(changes[at]), runs[at]});
    }
    return marks;
}

}  // namespace vigil::service
