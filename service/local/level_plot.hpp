#pragma once

#include <string>

#include "bisect/search/search.hpp"
#include "service/local/story.hpp"

namespace vigil::local {

/// Every run by its commit, the median of each commit, broken commits, the culprit, and below them
/// how likely each suspect is. Two SVG elements, of the classes "wide" and "narrow", for a page
/// that shows the one that fits and names the colours.
std::string level_plot(const Story& story, const search::Decision& decision);

}  // namespace vigil::local
