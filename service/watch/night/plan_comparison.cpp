#include "service/watch/night/plan_comparison.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"

namespace vigil::service {

namespace {

BenchmarkPlan read_plan(const std::string& text) {
    return wire::parse_benchmark_plan(wire::parse_json(text, "job.plan"), "job.plan");
}

bool measure_the_same(const std::string& before, const std::string& tonight) {
    if (before == tonight) return true;
    const auto a = read_plan(before);
    const auto b = read_plan(tonight);
    return a.kind == b.kind && a.command == b.command && a.environment == b.environment &&
           a.samples == b.samples;
}

}  // namespace

std::vector<ClassVariant> list_measured_otherwise(
    const PlannedVariants& before, const PlannedVariants& tonight) {
    std::vector<ClassVariant> otherwise;
    for (const auto& [variant, plan] : tonight) {
        const auto earlier = before.find(variant);
        if (earlier == before.end() || measure_the_same(earlier->second, plan)) continue;
        otherwise.push_back(variant);
    }
    return otherwise;
}

GoneSeries split_gone(
    const std::vector<SeriesRow>& gone,
    const PlannedVariants& tonight,
    const std::set<ClassVariant>& passed_tonight) {
    GoneSeries split;
    for (const auto& series : gone) {
        const ClassVariant variant{series.benchmark, series.variant, series.machine_class};
        if (!tonight.contains(variant)) {
            split.not_planned.push_back(series);
        } else if (passed_tonight.contains(variant)) {
            split.not_printed.push_back(series);
        }
    }
    return split;
}

}  // namespace vigil::service
