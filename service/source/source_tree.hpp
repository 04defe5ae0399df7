#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/text_ids.hpp"
#include "service/source/git_clone.hpp"

namespace vigil::service {

class ContentStore;

/// Never wider than what archive::unpack takes by default.
struct TreeLimits {
    std::int64_t max_bytes = std::int64_t{8} << 30;       ///< all files together
    std::int64_t max_file_bytes = std::int64_t{1} << 30;  ///< one file: it passes through memory
    int max_entries = 200'000;                            ///< files, links and folders
    int max_depth = 128;
    int max_path = 1024;
};

/// A revision's tree as one tar in the content store.
struct SourceTree {
    Digest digest;
    std::int64_t bytes = 0;          ///< of the tar
    int entries = 0;                 ///< files, links and folders in it
    std::vector<std::string> notes;  ///< what differs from a checkout: dropped links, submodules
};

/// Writes the tree straight from the object database: no checkout, no filters, no attributes.
/// Equal trees give equal digests: order of the tree, one fixed time, owner 0, modes 0644 and 0755.
/// Links that lead out of the tree (or whose target has ".." after a name) are left out and noted;
/// submodules become empty folders and are noted.
/// @throws Error{not_found} when the revision or one of its objects is missing;
///         Error{invalid_argument} when the tree is hostile (names like "..", ".git", twice the
///         same name) or over a limit
SourceTree export_source_tree(
    const GitClone& clone, const Revision& revision, ContentStore& content, TreeLimits limits = {});

/// The same, when only the digest matters.
Digest export_tree(const GitClone& clone, const Revision& revision, ContentStore& content);

}  // namespace vigil::service
