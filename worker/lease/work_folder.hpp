#pragma once

#include <filesystem>
#include <string>

namespace vigil::worker {

/// Why no job can be done in this folder now: it cannot be made or written, or the disk is full.
/// One line; empty when all is well. Empties the folder.
std::string why_unfit(const std::filesystem::path& work);

}  // namespace vigil::worker
