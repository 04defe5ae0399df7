#include "service/tables/grid.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/csv.hpp"
#include "service/tables/cell.hpp"
#include "service/tables/heading.hpp"

namespace vigil::tables {

namespace {

constexpr std::size_t max_dropped = 1000;  // that are told of each table

void drop_row(Grid& grid, int line, std::size_t cells) {
    if (grid.dropped.size() >= max_dropped) return;
    grid.dropped.push_back(
        fmt::format("line {}: {} cells, the header has {}", line, cells, grid.header.size()));
}

/// What stands behind the last column and says nothing: an empty cell, a stray mark.
void cut_empty_end(std::vector<std::string>& cells, std::size_t wanted) {
    const auto is_empty = [](const std::string& text) {
        const Cell cell = parse_cell(text);
        return !cell.number && cell.word.empty();
    };
    while (cells.size() > wanted && is_empty(cells.back())) cells.pop_back();
}

GridRow row_of(std::vector<text::CsvCell> record) {
    GridRow row{{}, record.front().at.line};
    for (auto& cell : record) row.cells.push_back(std::move(cell.text));
    return row;
}

/// The cells of "| a | b \| c |".
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells(1);
    line.remove_prefix(1);
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool escaped = line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|';
        if (line[i] == '|') {
            cells.emplace_back();
            continue;
        }
        if (escaped) ++i;
        cells.back() += line[i];
    }
    for (auto& cell : cells) cell = std::string(text::trimmed(cell));
    if (cells.size() > 1 && cells.back().empty()) cells.pop_back();
    return cells;
}

/// "| --- | ---: |"
bool is_ruler(const std::vector<std::string>& cells) {
    return std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
        return cell.find('-') != cell.npos && cell.find_first_not_of("-:+= ") == cell.npos;
    });
}

/// What stands before "suite" in a heading.
std::string suite_in(std::string_view heading) {
    const auto at = heading.find(" suite");
    const auto begin = heading.find_first_not_of("# \t");
    return at == heading.npos || begin >= at ? "" : std::string(heading.substr(begin, at - begin));
}

class MarkdownGrids {
  public:
    explicit MarkdownGrids(const std::string& file) : file_(file) {}

    void take(std::string_view raw, int line) {
        const auto text = text::trimmed(raw);
        if (text.starts_with('|')) {
            take_row(cells_of(text), line);
        } else if (!text.starts_with('+') || text.find_first_not_of("+-=: ") != text.npos) {
            open_ = false;
            take_text(text);
        }
    }

    std::vector<Grid> all() { return std::move(grids_); }

  private:
    void take_row(std::vector<std::string> cells, int line) {
        if (is_ruler(cells)) return;
        if (cells.size() > max_columns) refuse_line(file_, line, "too many columns");
        if (!open_) {
            const auto& [device, batch] = place_;
            grids_.push_back({title_, suite_, device, batch, setting_, std::move(cells), {}, line});
            open_ = true;
            chapter_.clear();
            return;
        }
        Grid& grid = grids_.back();
        cut_empty_end(cells, grid.header.size());
        if (cells.size() > grid.header.size()) return drop_row(grid, line, cells.size());
        cells.resize(grid.header.size());
        grid.rows.push_back({std::move(cells), line});
    }

    void take_text(std::string_view text) {
        const bool fence = text.starts_with("~~~") || text.starts_with("```");
        if (text.empty() || fence || text.starts_with('<')) return;
        title_ = text;
        const auto level = std::min(text.find_first_not_of('#'), text.size());
        const auto words = text::trimmed(text.substr(level));
        if (const auto place = parse_place(words)) return take_place(*place, level);
        const std::string suite = suite_in(text);
        // A paragraph is no chapter.
        const bool short_line = words.size() <= 60 && words.find_last_of(".:;") == words.npos;
        if (suite.empty() && (level > 0 || short_line)) chapter_ = words;
        if (level == 0) return;
        if (level <= place_level_) {
            place_ = {};
            setting_.clear();
        }
        if (suite.empty() && level > suite_level_) return;  // a part of the suite's chapter
        suite_ = suite;
        suite_level_ = level;
    }

    /// What stands between a chapter's heading and the first table belongs to all of the chapter.
    void take_place(const PlaceHeading& place, std::size_t level) {
        if (!chapter_.empty()) setting_ = chapter_;
        chapter_.clear();
        if (place.device.empty()) {
            place_.batch = place.batch;
        } else {
            place_ = place;
        }
        place_level_ = level == 0 ? deepest_level : level;
    }

    static constexpr std::size_t deepest_level = 7;  // of a line without marks

    const std::string& file_;
    std::string title_;
    std::string chapter_;  // the last text that may be a chapter's; no table since
    std::string setting_;
    PlaceHeading place_;
    std::size_t place_level_ = 0;
    std::string suite_;
    std::size_t suite_level_ = 0;
    bool open_ = false;
    std::vector<Grid> grids_;
};

}  // namespace

void refuse_line(const std::string& file, int line, const std::string& why) {
    throw Error(Errc::invalid_argument, fmt::format("reading {}: line {}: {}", file, line, why));
}

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
        cut_empty_end(row.cells, grid.header.size());
        if (row.cells.size() != grid.header.size()) {
            drop_row(grid, row.line, row.cells.size());
            continue;
        }
        grid.rows.push_back(std::move(row));
    }
    return grid;
}

std::vector<Grid> read_markdown_grids(std::string_view text, const std::string& file) {
    MarkdownGrids grids(file);
    int line = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        grids.take(text.substr(0, end), ++line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return grids.all();
}

}  // namespace vigil::tables
