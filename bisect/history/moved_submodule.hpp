#pragma once

#include <string>
#include <vector>

#include "bisect/history/history.hpp"

// Commits of a submodule as commits of its project, so that a search builds them like any other.

namespace vigil::history {

/// Writes, for each commit of a submodule, a commit of the project: the tree of `moving` with the
/// submodule there. The first one follows the first parent of `moving`; `moving` itself stands for
/// the last. The same commits give the same hashes, and a reference below refs/moves keeps them.
/// @param repository  path of a clone or bare repository
/// @param moving      a commit that moves the submodule to the last of `inner`
/// @param path        of the submodule
/// @param inner       of the submodule's own repository, oldest first
/// @return they, as suspects that stand for those of the submodule
/// @throws Error{not_found} when a commit is missing or the tree has no such submodule there;
///         Error{unavailable} when they cannot be written
std::vector<Commit> write_moves(
    const std::string& repository,
    const Revision& moving,
    const std::string& path,
    const std::vector<Commit>& inner);

}  // namespace vigil::history
