#pragma once

#include <string>
#include <string_view>

#include "service/tables/read_grid.hpp"
#include "service/tables/result.hpp"

namespace vigil::tables {

inline constexpr std::size_t max_file_bytes = std::size_t{64} << 20;

/// Reads one file into the list: JSON (a published dashboard, TorchBench's own results,
/// vigil-bench's output, our own), Markdown or CSV (docs/tables.md). The kind is seen from the
/// text.
/// @param file  its name: for messages, and for the suite when it names one
/// What cannot be read of a table is noted in the list.
/// @param names  what headers of tables mean
/// @throws Error{invalid_argument} one line that names the file and the place
void read_results(
    std::string_view text,
    const std::string& file,
    ResultList& list,
    const ColumnNames& names = {});

}  // namespace vigil::tables
