#include "service/schedule/written_result.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"

namespace vigil::service {

namespace {

SampleFigures figures_of(const Samples& samples) {
    constexpr double outliers = 0.1;
    const bool is_time = kind_of(samples.metric) == MetricKind::time;
    return {
        stats::median(samples.values),
        is_time ? stats::trimmed_mean(samples.values, outliers) : 0,
        stats::spread(samples.values)};
}

}  // namespace

WrittenResult write_result(JobResult result) {
    WrittenResult written;
    written.digest = wire::sha256(wire::to_json(result).dump());
    for (const auto& run : result.runs) {
        auto& figures = written.figures.emplace_back();
        for (const auto& samples : run.samples) figures.push_back(figures_of(samples));
    }
    written.result = std::move(result);
    return written;
}

}  // namespace vigil::service
