#pragma once

#include <span>
#include <string>

#include "bisect/search/search.hpp"
#include "service/local/story.hpp"

// One search as a document. Pure functions of its log; everything from the repository and from the
// benchmark is escaped.

namespace vigil::local {

/// @param inside  the searches inside of merges, outer first
std::string markdown_report(
    const Story& story, const search::Decision& decision, std::span<const Found> inside = {});

/// One file that needs nothing else: no scripts, nothing fetched. Readable from 360 pixels on,
/// light and dark.
std::string html_report(
    const Story& story, const search::Decision& decision, std::span<const Found> inside = {});

}  // namespace vigil::local
