#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::tables {

struct GridRow {
    std::vector<std::string> cells;  ///< as many as the header has
    int line = 1;
};

/// One table of a text, not yet understood.
struct Grid {
    std::string title;   ///< the last line of text before it
    std::string suite;   ///< from the last heading like "torchbench suite with float32 precision"
    std::string device;  ///< from the heading above: "A100 (batch size: 16)"
    std::int64_t batch = 0;  ///< the same; 0: not said
    std::string setting;     ///< the heading above that one: "Reduce overhead"
    std::vector<std::string> header;
    std::vector<GridRow> rows;
    int line = 1;                           ///< of the header
    std::vector<std::string> dropped = {};  ///< rows that do not fit it: "line 7: why"
};

/// @throws Error{invalid_argument} "reading FILE: line N: why"
[[noreturn]] void refuse_line(const std::string& file, int line, const std::string& why);

/// One table (RFC 4180), its first record the header. Rows of more or fewer cells are dropped.
/// @param file  for messages   @throws Error{invalid_argument} with line
Grid read_csv_grid(std::string_view text, const std::string& file);

/// All tables of a Markdown text: GitHub's, and those with borders like "+-----+". Whatever else
/// the text holds is passed over. Short rows are filled up, long ones are dropped.
/// @throws Error{invalid_argument} with line
std::vector<Grid> read_markdown_grids(std::string_view text, const std::string& file);

inline constexpr std::size_t max_columns = 200;

}  // namespace vigil::tables
