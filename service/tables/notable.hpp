#pragma once

#include <span>
#include <string>
#include <vector>

#include "service/tables/result.hpp"

// What a reader of a table looks for first.

namespace vigil::tables {

/// The limits of the dashboards of compilers: "slower" below 0.95 times the base's speed, "long
/// compile" above 120 s, "more memory" where the ratio of peaks is below 0.9.
std::vector<std::string> flags_of(const Result& result);

struct OutlierModel {
    std::string model;
    double speedup = 0;
    double deviations = 0;  ///< how far off, in spreads; below 0: slower
};

/// Models whose speedup is far from the others' of their suite, by its logarithm (spreads_off).
std::vector<OutlierModel> outliers_of(std::span<const Result> results);

/// What the results say of the machines and versions: "machine: Xeon 8488C (44 results)".
std::vector<std::string> machine_lines(std::span<const Result> results);

/// What a reader must know before believing the aggregates; one sentence each.
/// @param base  the backend that the others are measured against
std::vector<std::string> caveats_of(std::span<const Result> results, const std::string& base);

/// Passing models best first, then those without a speedup, then those that failed.
void sort_best_first(std::vector<const Result*>& results);

}  // namespace vigil::tables
