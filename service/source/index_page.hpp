#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/text_ids.hpp"
#include "service/source/pep440.hpp"

// Pages that list packages: what they say, without fetching anything. Pure.

namespace vigil::service {

/// One link of a page.
struct IndexLink {
    std::string url;               ///< absolute, without fragment; still encoded
    std::string file;              ///< its last part, decoded
    std::optional<Digest> sha256;  ///< from "#sha256=..."
    bool yanked = false;           ///< withdrawn (PEP 592)
};

/// The links of an HTML page (PEP 503; any page with anchors), in its order. Links that are no
/// files, lead to another scheme than https (from https), or to another server (from http) are left
/// out. They are resolved against the address of the page's first `<base href>`; one that is left
/// out like such a link counts as none.
/// @param page  the page's own address
/// @throws Error{invalid_argument} when there are more than 200,000 links
std::vector<IndexLink> parse_index_page(std::string_view html, const std::string& page);

/// `link` as seen from `base`; nothing when it is no http or https address.
std::optional<std::string> resolve_link(const std::string& base, std::string_view link);

/// From https only to https; from http (this machine, see the config) only to https or to the same
/// server.
bool may_follow(const std::string& base, const std::string& url);

/// The version in an archive's name, `<package>-<version>.zip` (.tar.gz, .tgz, .tar.xz, .tar.zst);
/// nothing when it is of another package or its version is no version ("latest").
std::optional<std::string> version_in_archive_name(std::string_view file, std::string_view package);

/// The commit in a package's version.py: git_version = '...', or as other tools write it. Nothing
/// when there is none, or it is no full hash.
std::optional<Revision> revision_in_version_py(std::string_view text);

/// The commit of the main branch in the message of a commit of the nightly branch: "... nightly
/// release (<full hash>)".
std::optional<Revision> revision_in_nightly_message(std::string_view message);

/// The versions that "Requires-Dist: <package> (==<version>)" or "<package>==<version>" in a
/// wheel's METADATA ask for.
std::optional<std::string> required_version(std::string_view metadata, std::string_view package);

}  // namespace vigil::service
