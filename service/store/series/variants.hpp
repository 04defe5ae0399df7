#pragma once

#include <optional>
#include <vector>

#include "schema/model/class_variant.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "service/store/database.hpp"

// Which series there are (table series), by what is measured and by who measured them when.

namespace vigil::service {

/// The series of a variant, of all metrics.
std::vector<SeriesId> list_series(Database& db, ProjectId project, const ClassVariant& variant);

/// The series of a variant and a metric, in its newest definition.
std::optional<SeriesId> find_series(
    Database& db, ProjectId project, const ClassVariant& variant, Metric metric);

/// Series that a nightly's own runs measured and nothing had measured before its first run, but for
/// what is measured beside the nights.
std::vector<SeriesId> list_new_series(Database& db, NightlyId nightly);

/// Series that the own runs of one night measured, and those of another did not.
std::vector<SeriesId> list_gone_series(Database& db, NightlyId measured, NightlyId not_measured);

}  // namespace vigil::service
