#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/http/message.hpp"
#include "schema/model/metric.hpp"
#include "service/api/common/context.hpp"
#include "service/store/lists/suite.hpp"

namespace vigil::service {

/// How far a series has moved within some nights.
struct Moved {
    double base = 0;                   ///< its level before, the series' unit
    double value = 0;                  ///< the newest level, or the newest night's value
    double change_ratio = 0;           ///< how much worse
    std::optional<std::size_t> since;  ///< first night of the newest level; nothing: one level
};

/// The newest level against the first one where two levels are surely apart; else the newest
/// night against the median of those before. A pure function.
/// @param values  oldest first; NaN: not measured
/// @return  nothing where fewer than two nights were measured, or a level is negative
std::optional<Moved> moved_within(std::span<const double> values, Direction direction);

/// What a trend's change was found by.
enum class TrendBy { levels, night, measured_again };
std::string_view to_string(TrendBy by);

struct Trend {
    SuiteSeriesRow row;
    std::vector<double> values;  ///< of the nights; NaN: not measured
    std::optional<Moved> moved;  ///< its change is by measuring again, where that is known
    TrendBy by = TrendBy::night;
    std::optional<NightlyId> since;
};

struct Trends {
    std::string project;
    std::vector<ChartNightRow> nights;  ///< oldest first
    std::vector<Trend> series;          ///< what moved most first
};
/// The series that a request filters, over as many nights as it asks for.
/// @throws Error{invalid_argument}
Trends load_trends(const http::Request& request, Database& db, const HandlerContext& context);

}  // namespace vigil::service
