#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/model/metric.hpp"
#include "schema/model/recipe.hpp"

// What the runs of a report's command say, as `vigil compare` says it. Pure functions.

namespace vigil::cli {

/// What the command of a report compares, as its line "# compares {...}" says.
struct ComparedRuns {
    std::string benchmark;
    std::string good;  ///< short hash
    std::string bad;
    Metric metric = Metric::wall_time_ns;
    std::string unit;
    Direction direction = Direction::lower_is_better;
    double threshold = 0.07;
    SampleRule samples;
};

/// @return nothing where the script has no such line: an older report's
/// @throws Error{invalid_argument} where it cannot be read
std::optional<ComparedRuns> find_compared(const std::string& script);

/// What one run left.
struct ReproducedRun {
    bool good = false;
    std::string output;
    std::string errors;  ///< with the line of /usr/bin/time that the script asks for
};

/// The three lines that a comparison ends with: the change with its interval, and both sides.
/// @param runs  both sides, as many of each
/// @throws Error{conflict} where a run holds no value of the metric, one line
std::string reproduced_text(const ComparedRuns& compared, const std::vector<ReproducedRun>& runs);

}  // namespace vigil::cli
