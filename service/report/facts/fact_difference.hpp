#pragma once

#include <string>
#include <vector>

namespace vigil::service {

/// What one run of a session said of itself beside its samples.
struct FactOfRun {
    std::string name;
    bool is_before = false;  ///< of the good build
    double value = 0;        ///< >= 0
};

/// A fact that is clearly not the same on both sides.
struct FactDifference {
    std::string name;
    double before = 0;  ///< medians
    double after = 0;
    friend bool operator==(const FactDifference&, const FactDifference&) = default;
};

/// Those of which one side's median is above twice the other's and at least 10 above it, in the
/// order of their names. Counts of faults and switches scatter by a factor without a cause, and a
/// few more or fewer cost nothing. Each side needs three runs.
std::vector<FactDifference> clear_differences(const std::vector<FactOfRun>& runs);

}  // namespace vigil::service
