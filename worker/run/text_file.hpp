#pragma once

#include <filesystem>
#include <string>

namespace vigil::worker {

/// @return  the whole file; "" when it cannot be read
std::string read_text(const std::filesystem::path& file);

}  // namespace vigil::worker
