#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vigil::history {

/// A hash, or a name, before and after, as written.
using HashPair = std::pair<std::string, std::string>;

/// What one changed line pins: the hashes that differ, when the two lines differ in nothing but
/// full hashes (40 or 64 hex digits that stand alone) and in a comment (# or //) behind the last of
/// them. Nothing otherwise.
std::optional<std::vector<HashPair>> moved_hashes(std::string_view before, std::string_view after);

/// What follows GIT_TAG in one changed line, where the two lines differ in nothing but that and in
/// a comment behind it. A name may be of a tag or of a branch: the line does not say.
std::optional<HashPair> moved_tag(std::string_view before, std::string_view after);

}  // namespace vigil::history
