#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "schema/model/class_variant.hpp"
#include "service/store/series/values.hpp"

// What two nights were to measure, and what they measured, held against each other. Pure.

namespace vigil::service {

/// What a night was to measure, with the JSON of the benchmark's plan.
using PlannedVariants = std::map<ClassVariant, std::string>;

/// Variants of both nights that are measured by another command, environment or sample rule.
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
