#pragma once

#include <string>
#include <vector>

namespace vigil::tables {

/// A table of GitHub's Markdown, its columns padded so that it reads well as plain text too.
class MarkdownTable {
  public:
    explicit MarkdownTable(std::vector<std::string> headers);
    /// @param cells  as many as headers; bars are escaped, line ends become spaces
    void add(std::vector<std::string> cells);
    /// The first column to the left, the others to the right.
    std::string text() const;

  private:
    std::vector<std::vector<std::string>> rows_;  // the header first
};

}  // namespace vigil::tables
