#pragma once

#include "schema/model/enum_names.hpp"

namespace vigil {

enum class Finding { same, better, worse, unknown };

/// B against A, from interleaved runs.
struct Comparison {
    double before = 0;        ///< A's level, metric's unit
    double after = 0;         ///< B's level
    double change_ratio = 0;  ///< how much worse, whatever the direction
    double low = 0;           ///< 90 % interval of change_ratio
    double high = 0;
    double above = 0;  ///< probability that change_ratio exceeds the threshold, 0..1
    int runs_before = 0;
    int runs_after = 0;
    Finding finding = Finding::unknown;
    /// Of builds of two revisions' sources, where nights come as archives: it is the size of a
    /// commit, and not of what differs between two nights.
    bool of_sources = false;
};

}  // namespace vigil
