#pragma once

#include <string>

#include "bisect/search/search.hpp"
#include "service/local/story.hpp"

// One search as a document. Pure functions of its log; everything from the repository and from the
// benchmark is escaped.

namespace vigil::local {

std::string markdown_report(const SearchAccount& account);

/// One file that needs nothing else: no scripts, nothing fetched. Readable from 360 pixels on,
/// light and dark.
std::string html_report(const SearchAccount& account);

}  // namespace vigil::local
