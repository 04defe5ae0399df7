#pragma once

#include <cstdint>
#include <git2.h>
#include <string>

#include "schema/model/text_ids.hpp"

// Commits that nobody made but we, so that a tree is built like any other; for the sources of this
// folder.

namespace vigil::history {

/// The same tree, parent, time and message give the same hash.
/// @param at_s  time of the commit, UTC
/// @throws Error{unavailable} when it cannot be written
Revision write_made_commit(
    git_repository* repository,
    const git_oid& tree,
    const git_commit* parent,
    std::int64_t at_s,
    const std::string& message);

/// A reference below refs/`room` keeps it and those before it.
/// @throws Error{unavailable}
void keep_made_commit(
    git_repository* repository, const std::string& room, const Revision& revision);

}  // namespace vigil::history
