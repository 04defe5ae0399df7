#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "worker/run/run.hpp"

// Files that a tool writes into a run's scratch folder, where the run may write too.

namespace vigil::worker {

/// Makes a folder of the run's scratch folder for what a tool writes.
/// @return  it as the run sees it
/// @throws Error{unavailable}
std::filesystem::path make_folder(
    const Runner& runner, const RunRequest& request, const char* name);

/// A file that is one, or its end; a link, a pipe or what cannot be read is none.
/// @param folder  open
/// @param most    bytes
std::optional<std::string> read_end(int folder, const char* name, std::size_t most);

/// Calls take(open folder, name) for each entry, until it says false.
/// @return  whether the folder is there
bool for_each_entry(
    const std::filesystem::path& folder, const std::function<bool(int, const char*)>& take);

}  // namespace vigil::worker
