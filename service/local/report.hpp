#pragma once

#include <string>

#include "bisect/search/search.hpp"
#include "service/local/story.hpp"

// One search as a document. Pure functions of its log; everything from the repository and from the
// benchmark is escaped.

namespace vigil::local {

/// Every run by its commit, the median of each commit, broken commits, the culprit, and below them
/// how likely each suspect is. One SVG element, for a page of its own or in one.
std::string level_plot(const Story& story, const search::Decision& decision);

std::string markdown_report(const Story& story, const search::Decision& decision);

/// One file that needs nothing else: no scripts, nothing fetched.
std::string html_report(const Story& story, const search::Decision& decision);

}  // namespace vigil::local
