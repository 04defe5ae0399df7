#pragma once

#include <optional>
#include <string>

#include "bisect/search/search.hpp"
#include "service/local/story.hpp"
#include "service/local/why.hpp"

// One search as a document. Pure functions of its log and of what was profiled; everything from the
// repository and from the benchmark is escaped.

namespace vigil::local {

/// @param why  of the culprit; nothing: it was not profiled
std::string markdown_report(
    const SearchAccount& account, const std::optional<LocalWhy>& why = std::nullopt);

/// One file that needs nothing else: no scripts, nothing fetched. Readable from 360 pixels on,
/// light and dark.
std::string html_report(
    const SearchAccount& account, const std::optional<LocalWhy>& why = std::nullopt);

}  // namespace vigil::local
