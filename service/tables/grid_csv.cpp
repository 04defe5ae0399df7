#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/csv.hpp"
#include "service/tables/grid.hpp"

namespace vigil::tables {

namespace {

GridRow row_of(std::vector<text::CsvCell> record) {
    GridRow row{{}, record.front().at.line};
    for (auto& cell : record) row.cells.push_back(std::move(cell.text));
    return row;
}

}  // namespace

Grid read_csv_grid(std::string_view text, const std::string& file) {
    text::CsvReader records(text, file);
    Grid grid;
    while (auto record = records.next()) {
        auto row = row_of(std::move(*record));
        if (grid.header.empty()) {
            grid.header = std::move(row.cells);
            grid.line = row.line;
            continue;
        }
        if (row.cells.size() != grid.header.size()) {
            throw Error(
                Errc::invalid_argument,
                fmt::format(
                    "reading {}: line {}: {} cells, the header has {}",
                    file,
                    row.line,
                    row.cells.size(),
                    grid.header.size()));
        }
        grid.rows.push_back(std::move(row));
    }
    return grid;
}

}  // namespace vigil::tables
