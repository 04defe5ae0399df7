#pragma once

#include <cstdint>
#include <string>

#include "schema/profile/profile.hpp"
#include "schema/profile/why.hpp"

// What samples can tell, and what their number alone makes. Pure functions.

namespace vigil::why {

/// Standard error of the difference of two counts of samples, by Poisson's law: each is off by its
/// square root.
/// @param before       count, >= 0
/// @param after        count, >= 0, times `after_scale`
/// @param after_scale  by how much the counts of after were multiplied, > 0
double sampling_error(std::int64_t before, std::int64_t after, double after_scale = 1);

/// Whether two counts differ by more than twice their sampling error.
bool differs_beyond_error(std::int64_t before, std::int64_t after, double after_scale = 1);

/// How samples of after are brought to as much work as before.
struct AsMeasured {
    double factor = 1;      ///< for its counts
    bool explains = false;  ///< the total is the one that was measured, with this factor
    std::string note = {};  ///< one sentence; empty: nothing is to be said
};

/// A total of samples is off by its own error, and less is known of it than was measured: where it
/// is in keeping with that, it is taken from there. So it is of a loop that runs for as long
/// whatever it does: as many samples in all, although it got worse, and its parts took others'
/// place.
/// @param change_ratio  that was measured; 0: not known; from_zero tells no total
/// @param after_scale   by which the counts of after were multiplied, > 0
AsMeasured as_measured(
    const profile::Profile& before,
    const profile::Profile& after,
    double change_ratio,
    double after_scale = 1);

/// Whether one profiler leaves open why it is slower or takes more memory, so that another stands
/// in for it: it names no function, or disagrees with what was measured, or tells an interpreter's.
/// @param change_ratio  that was measured
bool leaves_open(const profile::Why& exact, const profile::Profile& after, double change_ratio);

}  // namespace vigil::why
