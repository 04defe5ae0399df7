#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/error.hpp"
#include "schema/model/text_ids.hpp"
#include "service/source/git_clone.hpp"
#include "service/source/submodule_mirrors.hpp"

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

/// A submodule that cannot be had, or whose entry in .gitmodules is hostile.
struct MissingSubmodule {
    std::string path;  ///< from the root of the tree, one line
    std::string why;
    Errc code = Errc::not_found;  ///< unavailable: it may be had later
};

/// A revision's tree as one tar in the content store.
struct SourceTree {
    Digest digest;                          ///< none where a submodule is missing
    std::int64_t bytes = 0;                 ///< of the tar
    int entries = 0;                        ///< files, links and folders in it
    std::vector<std::string> submodules;    ///< paths of those whose trees are in it, one line
    std::vector<std::string> notes;         ///< what differs from a checkout: dropped links ...
    std::string describe;                   ///< git describe --tags --always of the revision
    std::int64_t committed_at_s = 0;        ///< by the committer
    std::vector<MissingSubmodule> missing;  ///< the first of them
};

/// The file that every tree gets, unless it has one of that name: what it was made of, as JSON. It
/// says nothing that two equal trees do not share, so that they stay one content.
constexpr std::string_view source_file = ".vigil-source.json";

/// Writes the tree straight from the object database, with the trees of its submodules: no
/// checkout, no filters. Of attributes export-ignore and export-subst do what `git archive` does
/// with them, and are noted; so are files that stand for others of git-lfs. Equal trees give equal
/// digests: order of the tree, one fixed time, owner 0, modes 0644 and 0755. Links that lead out of
/// the tree (or whose target has
/// ".." after a name) are left out and noted. A submodule's folder stays empty, and is noted, where
/// .gitmodules has no entry for it or says "update = none".
/// @param mirrors  where the commits of submodules are
/// @throws Error{not_found} when the revision or one of its objects is missing;
///         Error{invalid_argument} when the tree is hostile (names like "..", ".git", twice the
///         same name) or over a limit
SourceTree export_source_tree(
    const GitClone& clone,
    const Revision& revision,
    ContentStore& content,
    SubmoduleMirrors& mirrors,
    TreeLimits limits = {});

}  // namespace vigil::service
