#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bisect/history/git_tag.hpp"
#include "bisect/history/history.hpp"
#include "bisect/history/pins.hpp"

// Commits of a dependency as commits of its project, so that a search builds them like any other.

namespace vigil::history {

/// Writes, for each commit of a dependency, a commit of the project: the tree of `moving` with the
/// dependency there. The first one follows the first parent of `moving`; `moving` itself stands for
/// the last. The same commits give the same hashes, and a reference below refs/moves keeps them.
/// @param repository  path of a clone or bare repository
/// @param moving      a commit that moves the dependency to the last of `inner`
/// @param pin         what it moves: a submodule, or a line of a file
/// @param inner       of the dependency's own repository, oldest first
/// @return they, as suspects that stand for those of the dependency
/// @throws Error{not_found} when a commit is missing or the tree has no such dependency there;
///         Error{unavailable} when they cannot be written
std::vector<Commit> write_moves(
    const std::string& repository,
    const Revision& moving,
    const Pin& pin,
    const std::vector<Commit>& inner);

/// The GIT_TAG of a pin of a file of CMake, as a commit has the file.
/// @return nullopt: as find_git_tag, or another one stands there
/// @throws Error{not_found, unavailable}
std::optional<GitTag> load_git_tag(
    const std::string& repository, const Revision& revision, const Pin& pin);

}  // namespace vigil::history
