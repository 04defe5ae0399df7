#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bisect/history/gitmodules.hpp"
#include "schema/model/text_ids.hpp"

namespace vigil::history {

/// A submodule as one commit has it.
struct PinnedSubmodule {
    std::string path;
    Revision pin;
    std::optional<Submodule> entry;  ///< of .gitmodules
};

/// The submodules of a commit's own tree, not of theirs; none where there is no .gitmodules.
/// @param repository  path of a clone or bare repository
/// @throws Error{not_found} when an object is missing, Error{invalid_argument} as parse_gitmodules
std::vector<PinnedSubmodule> list_submodules(
    const std::string& repository, const Revision& revision);

}  // namespace vigil::history
