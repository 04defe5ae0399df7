#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Comma-separated values (RFC 4180): cells may stand in quotes, and hold commas and line ends
// there.

namespace vigil::text {

/// A place in a file, both from 1.
struct FilePosition {
    int line = 1;
    int column = 1;
};

struct CsvCell {
    std::string text;
    FilePosition at = {};
};

/// Takes a text apart, record by record. Blanks around cells are no part of them; a mark of UTF-8
/// at the beginning is passed over.
class CsvReader {
  public:
    static constexpr std::size_t max_columns = 200;

    /// @param file  for errors; both must outlive the reader
    CsvReader(std::string_view text, const std::string& file);

    /// The next record that is not empty; nothing at the end.
    /// @throws Error{invalid_argument} naming file, line and column
    std::optional<std::vector<CsvCell>> next();

    /// Goes on behind the line in which a record could not be taken apart.
    void skip_line();

  private:
    FilePosition place() const { return {line_, static_cast<int>(at_ - line_begin_) + 1}; }
    CsvCell cell();
    std::string quoted(FilePosition begin);
    void skip_blanks();
    void end_line();
    [[noreturn]] void refuse(FilePosition at, const std::string& why) const;

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    int line_ = 1;
};

}  // namespace vigil::text
