#pragma once

#include <cstddef>
#include <string>

namespace vigil::tables {

/// The value with so many decimals, halves away from zero, as a person rounds the decimals that are
/// printed: 1.005 becomes 1.01, although the nearest binary number lies below it.
/// @param decimals  0 .. 9
/// @return  "-" when the value is not finite
std::string rounded(double value, int decimals);

/// "91%, 49/54": the percentage is rounded half up from the two counts.
/// @param whole  0: "-"
std::string rate_words(std::size_t part, std::size_t whole);

}  // namespace vigil::tables
