#pragma once

#include <cstddef>
#include <string>

namespace vigil::tables {

/// As text::rounded(); a value that is missing, so not finite, is "-".
std::string rounded(double value, int decimals);

/// "91%, 49/54": the percentage is rounded half up from the two counts.
/// @param whole  0: "-"
std::string rate_words(std::size_t part, std::size_t whole);

}  // namespace vigil::tables
