#pragma once

#include <filesystem>
#include <string>

// Folders that jobs wrote in. They may hold anything: folders without rights, a thousand levels of
// them, links to anywhere.

namespace vigil::worker {

/// Removes a folder, or file, with all it holds; follows no link. Rights that were taken away are
/// given back on the way.
/// @return why it is not gone, one line; empty when it is, or was not there
std::string remove_tree(const std::filesystem::path& folder);

/// Removes a folder; what cannot be removed goes to "<folder>.aside-<number>", and the log says so.
/// @throws Error{unavailable} when that fails too
void clear_away(const std::filesystem::path& folder);

/// Makes the folder anew, empty, for everybody to pass.
/// @throws Error{unavailable}
void make_fresh(const std::filesystem::path& folder);

/// Tries again to remove what of this folder was set aside.
void remove_quarantined(const std::filesystem::path& folder);

}  // namespace vigil::worker
