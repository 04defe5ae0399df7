#pragma once

#include <string>
#include <vector>

#include "service/local/story.hpp"

namespace vigil::local {

struct ReportTable {
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
};

struct Chapter {
    const char* title;
    ReportTable table;
};

/// The tables of a search: suspects left, measured commits, probes, other cases; those that have
/// rows.
std::vector<Chapter> chapters(const Story& story, const search::Decision& decision);

}  // namespace vigil::local
