#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "schema/model/text_ids.hpp"

namespace vigil::history {

inline constexpr std::size_t most_changed_files = 1000;

/// The paths of the files that a commit changes against its first parent, one line each; of more
/// than most_changed_files none.
/// @throws Error{not_found} when the commit, or its parent, is missing
std::set<std::string> list_changed_files(const std::string& repository, const Revision& revision);

}  // namespace vigil::history
