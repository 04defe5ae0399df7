#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/text/csv.hpp"

namespace vigil::harness {

/// A CSV whose first record names its columns.
class CsvTable {
  public:
    /// @param file  for errors; both must outlive the table
    /// @throws Error{invalid_argument} when the header cannot be read, or names a column twice
    CsvTable(std::string_view text, const std::string& file);

    const std::vector<std::string>& columns() const { return columns_; }

    /// Reads the next record. @return  false: there is none
    bool next();
    /// "line 7": how errors call the record; "line" of one that cannot be taken apart.
    std::string place() const;
    /// @throws Error{invalid_argument} when the record cannot be taken apart, has not as many cells
    ///         as the header, or a very long one
    void check_cells() const;

    /// The cell under the first of these names that the table has; "" where it has none of them.
    std::string cell(std::initializer_list<std::string_view> names) const;
    /// A number; nothing where the cell is empty, "nan", "na" or "null", or there is no column.
    std::optional<double> number(std::initializer_list<std::string_view> names) const;

    /// @throws Error{invalid_argument} naming line and column of that cell
    [[noreturn]] void refuse(
        std::initializer_list<std::string_view> names, const std::string& why) const;

  private:
    std::optional<std::size_t> column(std::initializer_list<std::string_view> names) const;

    text::CsvReader reader_;
    std::string problem_ = {};  ///< why the record cannot be taken apart
    std::vector<std::string> columns_;
    std::vector<text::CsvCell> cells_;
};

}  // namespace vigil::harness
