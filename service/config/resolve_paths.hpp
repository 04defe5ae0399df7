#pragma once

#include <filesystem>

#include "service/config/config.hpp"

namespace vigil::service {

/// Relative paths start at the config's folder, wherever the daemon was started.
void resolve_paths(Config& config, const std::filesystem::path& folder);

}  // namespace vigil::service
