#pragma once

#include <filesystem>
#include <vector>

#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"
#include "service/source/http_fetcher.hpp"
#include "service/source/index_nights.hpp"

// Files of an index, unpacked and held against each other. Blocking.

namespace vigil::service {

/// The commit that a file states.
/// @throws Error{invalid_argument} where it states none, or another version than its name
Revision revision_stated_by(const std::filesystem::path& file, const IndexBuild& build);

struct UnpackedSet {
    Revision built;  ///< as the first package says
    PackageSet set;  ///< what was taken
};

/// Fetches the packages of a set and puts all they hold into one folder. Packages that do not say
/// the day are taken as the first one's METADATA asks for them by "==".
/// @param builds  of the index, by package
/// @param folder  must not exist; its parent must. Beside it "one" is used
/// @throws Error, as NightlySource says; then the folder may be there
UnpackedSet unpack_set(
    PackageSet set,
    const std::vector<std::vector<IndexBuild>>& builds,
    const SourceConfig& source,
    HttpFetcher& fetcher,
    const std::filesystem::path& folder);

}  // namespace vigil::service
