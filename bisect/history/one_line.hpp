#pragma once

#include <string>
#include <string_view>

namespace vigil::history {

/// A stranger's text as one line of valid UTF-8: invalid bytes become U+FFFD, control characters
/// and line separators become spaces, and the line ends after `limit` bytes at a whole character.
std::string one_line(std::string_view text, std::size_t limit = 1000);

}  // namespace vigil::history
