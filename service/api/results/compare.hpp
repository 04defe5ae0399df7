#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/http/message.hpp"
#include "schema/model/comparison.hpp"
#include "schema/model/metric.hpp"
#include "service/api/common/context.hpp"
#include "service/store/lists/suite.hpp"
#include "service/watch/recover/level_today.hpp"

namespace vigil::service {

/// One night of a series against another, by what its nights' own noise tells; nothing was measured
/// side by side, so that what the machine did in between counts as a change.
struct NightComparison {
    double before = 0;  ///< the series' unit
    double after = 0;
    double change_ratio = 0;  ///< how much worse
    double low = 0;           ///< 90 % interval of change_ratio
    double high = 0;
    Finding finding = Finding::unknown;
};

/// @param before, after  runs of the two nights, each > 0; one or more each
/// @param nights         values of nights of the series, oldest first; NaN: not measured. They
///                       teach its noise: with too few of them the finding is unknown
/// @param kind           all but times are compared exactly where two or more runs of each night
///                       gave the same number
/// @source  docs/detection.md, "Noise" (the spread of a night's value)
NightComparison compare_nights(
    std::span<const double> before,
    std::span<const double> after,
    std::span<const double> nights,
    Direction direction,
    MetricKind kind);

/// A series that both nights measured.
struct ComparedSeries {
    SuiteSeriesRow row;
    NightComparison said;
    std::optional<LevelToday> again;  ///< by measuring again, which counts more
    Finding finding = Finding::unknown;
    std::vector<double> runs_before, runs_after;
    std::vector<double> samples_before, samples_after;  ///< of the largest changes

    bool tells() const { return finding == Finding::worse || finding == Finding::better; }
};

/// What ran in one of the nights alone.
struct ComparedVariant {
    std::string benchmark, variant, machine_class;

    auto operator<=>(const ComparedVariant&) const = default;
};

/// What differs between the machines of the nights; nothing: one of them has no such fact.
struct ComparedFact {
    std::string machine_class, fact;
    std::optional<std::string> before, after;
};

struct SuiteComparison {
    std::string project;
    std::optional<ChartNightRow> a, b;
    std::vector<ComparedSeries> series;  ///< the largest changes first
    std::vector<ComparedVariant> only_a, only_b;
    std::vector<ComparedFact> environment;
};
/// The nights that a request names, else the newest two, of the series that it filters.
/// @throws Error{invalid_argument}
SuiteComparison load_comparison(
    const http::Request& request, Database& db, const HandlerContext& context);

}  // namespace vigil::service
