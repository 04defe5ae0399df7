#pragma once

#include <string>
#include <string_view>

// Other programs' and other people's words, made fit for our messages.

namespace vigil::service {

/// One line of at most `most` bytes: control bytes become spaces, runs of spaces one, and what does
/// not fit is cut at a character and marked with "...". Bytes that are no UTF-8 become '?'.
std::string one_line(std::string_view text, std::size_t most = 300);

/// A path or URL without the user name and password it may carry.
std::string without_credentials(std::string_view origin);

/// The text with every URL in it replaced by "<address>".
std::string without_addresses(std::string_view text);

/// The text with every absolute path of a machine in it replaced by "<path>": in quotes or not, by
/// itself or as a file:// address. Other addresses, and names with a '/' in them, stay.
std::string without_paths(std::string_view text);

}  // namespace vigil::service
