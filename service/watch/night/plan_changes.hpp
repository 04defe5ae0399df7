#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "schema/model/class_variant.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/series.hpp"

namespace vigil::service {

/// Says what is different about the series of a nightly whose jobs have ended: one event for each
/// cause, never one for each series. `series.changed`: a variant is measured by another command (a
/// batch size, say), so its series start new levels tonight; `series.new`; `series.gone`: no longer
/// planned, or planned and no longer printed. What was planned and did not come is no series'
/// event.
void note_plan_changes(Database& db, const NightlyRow& nightly, std::int64_t now_s);

/// What a night was to measure, with the JSON of the benchmark's plan.
using PlannedVariants = std::map<ClassVariant, std::string>;

/// Variants of both nights that are measured by another command, environment, launch or sample
/// rule.
/// Limits, turns and exit codes say how it is run, not what is measured.
/// @throws Error{invalid_argument} when a plan that differs cannot be read
std::vector<ClassVariant> list_measured_otherwise(
    const PlannedVariants& before, const PlannedVariants& tonight);

/// Series that are gone, by cause. What is planned and did not run is missing, and said with its
/// cause by the night's summary: it is in neither.
struct GoneSeries {
    std::vector<SeriesRow> not_planned;
    std::vector<SeriesRow> not_printed;  ///< by runs that pass
};
GoneSeries split_gone(
    const std::vector<SeriesRow>& gone,
    const PlannedVariants& tonight,
    const std::set<ClassVariant>& passed_tonight);

}  // namespace vigil::service
