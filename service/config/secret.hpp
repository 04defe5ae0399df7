#pragma once

#include <string>

namespace vigil::service {

/// What a secret's file holds, without the end of its line. It is read for every use, so that it
/// can be replaced while the daemon runs.
/// @param whose  for the error, e.g. "the tracker's token"
/// @return  empty where no file is named
/// @throws Error{unavailable} when it cannot be read, or is empty
std::string read_secret_file(const std::string& file, const std::string& whose);

}  // namespace vigil::service
