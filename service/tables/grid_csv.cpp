#include <algorithm>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/tables/grid.hpp"

namespace vigil::tables {

namespace {

[[noreturn]] void refuse_csv(const std::string& file, int line, const std::string& why) {
    throw Error(Errc::invalid_argument, fmt::format("reading {}: line {}: {}", file, line, why));
}

/// Takes records apart; cells may stand in quotes, and hold commas and line ends there.
class CsvRecords {
  public:
    CsvRecords(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    /// @return  false at the end
    bool next(GridRow& row) {
        while (at_ < text_.size()) {
            row = {{}, line_};
            while (true) {
                row.cells.push_back(cell());
                if (row.cells.size() > max_columns) refuse_csv(file_, line_, "too many columns");
                if (at_ >= text_.size() || text_[at_] != ',') break;
                ++at_;
            }
            end_line();
            if (row.cells.size() > 1 || !row.cells.front().empty()) return true;
        }
        return false;
    }

  private:
    std::string cell() {
        skip_blanks();
        if (at_ < text_.size() && text_[at_] == '"') return quoted();
        const auto end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        std::string cell(text_.substr(at_, end - at_));
        at_ = end;
        cell.resize(cell.find_last_not_of(" \t") + 1);
        return cell;
    }

    std::string quoted() {
        const int begin = line_;
        std::string cell;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"') {
                ++at_;
                if (at_ >= text_.size() || text_[at_] != '"') break;
            }
            line_ += text_[at_] == '\n' ? 1 : 0;
            cell += text_[at_];
            if (at_ + 1 == text_.size()) refuse_csv(file_, begin, "a quote that is not closed");
        }
        skip_blanks();
        if (at_ < text_.size() && text_.find_first_of(",\r\n", at_) != at_) {
            refuse_csv(file_, line_, "after a closing quote comes a comma or the line's end");
        }
        return cell;
    }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }

    void end_line() {
        if (at_ < text_.size() && text_[at_] == '\r') ++at_;
        if (at_ < text_.size() && text_[at_] == '\n') ++at_;
        ++line_;
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    int line_ = 1;
};

}  // namespace

Grid read_csv_grid(std::string_view text, const std::string& file) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    CsvRecords records(text, file);
    Grid grid;
    GridRow row;
    if (!records.next(row)) return grid;
    grid.header = std::move(row.cells);
    grid.line = row.line;
    while (records.next(row)) {
        if (row.cells.size() != grid.header.size()) {
            refuse_csv(
                file,
                row.line,
                fmt::format("{} cells, the header has {}", row.cells.size(), grid.header.size()));
        }
        grid.rows.push_back(std::move(row));
    }
    return grid;
}

}  // namespace vigil::tables
