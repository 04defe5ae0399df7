#pragma once

#include <string>
#include <string_view>
#include <vector>

// Which paths and links may come out of an archive. Pure text; folder.hpp touches the disk.

namespace vigil::archive {

using PathParts = std::vector<std::string>;

/// The names of a relative path, "." and empty ones left out; empty for the root itself.
/// @throws Error{invalid_argument} when it is absolute, rises ("..") or is longer than allowed
PathParts split_path(std::string_view path, std::int64_t max_path);

/// Whether a symbolic link at `link` with this target leads inside, whatever other links there are
/// that keep this rule: relative, all its ".." in front, and no more of them than the link lies
/// deep. A ".." after a name could be taken from where another link leads, so it is refused.
bool link_stays_inside(const PathParts& link, std::string_view target);

std::string join_path(const PathParts& parts);

/// A path from an archive, fit for a line of a message: control bytes replaced, length bounded.
std::string printable(std::string_view path);

}  // namespace vigil::archive
