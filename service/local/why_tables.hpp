#pragma once

#include <string>
#include <vector>

#include "service/local/report_tables.hpp"
#include "service/local/why.hpp"

namespace vigil::local {

/// What one profiler tells, before it is Markdown or HTML.
struct WhyChapter {
    std::string title;
    ReportTable table;  ///< functions or operators, the largest first; may be empty
    std::vector<std::string> sentences;  ///< what the rows explain, then what limits it
};

/// Of a document about one search. Names and files are a stranger's: they are not escaped yet.
std::vector<WhyChapter> why_chapters(const LocalWhy& why);

}  // namespace vigil::local
