#pragma once

#include <cstdint>

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

/// Samples of a loop that runs for as long whatever it does: as many in all, although what was
/// measured got worse, and its parts took others' place.
/// @return  how much less often the loop of after ran, as a factor for its counts; 1: it is no such
double factor_of_sized_loop(
    const profile::Profile& before, const profile::Profile& after, double change_ratio);

/// Whether exact counts leave open why it is slower, so that samples stand in for them: they name
/// no function, or disagree with what was measured, or are an interpreter's.
/// @param change_ratio  that was measured
bool needs_samples(const profile::Why& exact, const profile::Profile& after, double change_ratio);

}  // namespace vigil::why
