#pragma once

#include <string>
#include <vector>

#include "schema/model/text_ids.hpp"

namespace vigil::history {

/// Whether a commit can be taken back from a later one.
enum class RevertFit {
    applies,
    conflicts,
    empty,     ///< the later one holds nothing of it any more
    not_held,  ///< the later one does not follow it
    no_parent  ///< it is the first commit of all
};

constexpr std::size_t most_conflicts = 10;

struct RevertTry {
    RevertFit fit = RevertFit::empty;
    Revision head;                       ///< the later commit
    Revision parent;                     ///< first parent of the commit; empty: it has none
    Revision made;                       ///< the later one without it; empty: there is none
    std::vector<std::string> conflicts;  ///< paths, one line each, at most `most_conflicts`
    int conflicting = 0;                 ///< how many files there are in all
};

/// Takes a commit back from a later one, as `git revert` does; of a merge what it brought, as
/// `git revert -m 1` does. The result is a commit of our own after `head`, kept by a reference
/// below refs/reverts; the same question gives the same hash. No branch moves.
/// @param repository  path of a bare repository of ours, which holds both
/// @throws Error{not_found} when a commit or one of its trees is missing; Error{unavailable}
RevertTry write_revert(const std::string& repository, const Revision& commit, const Revision& head);

}  // namespace vigil::history
