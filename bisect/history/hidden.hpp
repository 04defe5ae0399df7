#pragma once

#include <string>

namespace vigil::history {

/// Whether git was told not to look at a file of this worktree: `git update-index` with
/// --assume-unchanged or --skip-worktree, or a sparse checkout. What was changed in such a file
/// stays through every checkout. Also true where its index cannot be read.
/// @param worktree  its folder
bool hides_changes(const std::string& worktree);

}  // namespace vigil::history
