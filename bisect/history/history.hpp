#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/text_ids.hpp"

namespace vigil::history {

/// A commit on the first-parent line. Subject and author are a stranger's text: valid UTF-8 and one
/// line, not otherwise neutralised.
struct Commit {
    Revision revision;
    Revision parent;  ///< first parent
    bool merge = false;
    std::string subject;
    std::string author;
    std::int64_t authored_at_s = 0;
};

/// The suspects between two revisions: after `good`, up to and with `bad`, oldest first, along
/// first parents in topological order (time stamps play no part).
/// @param repository  path of a clone or bare repository
/// @throws Error{not_found} when a revision or an object is missing; Error{conflict} when `good` is
///         not on bad's first-parent line (the message names the merge base, if any);
///         Error{invalid_argument} when there are more than `limit` commits
std::vector<Commit> list_suspects(
    const std::string& repository, const Revision& good, const Revision& bad, int limit = 20'000);

}  // namespace vigil::history
