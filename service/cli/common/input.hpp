#pragma once

#include <cstddef>
#include <istream>
#include <string>

namespace vigil::cli {

/// All there is to read, or a little more than `most_bytes` of it.
/// @param name  for messages
/// @throws Error{not_found} when reading fails
std::string read_whole(std::istream& in, const std::string& name, std::size_t most_bytes);

}  // namespace vigil::cli
