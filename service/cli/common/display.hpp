#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schema/text/lines.hpp"

// Text for a terminal. What a server says goes through `printable`, or `text::lines`, first. Pure
// functions.

namespace vigil::cli {

/// A server's words on one line; longer ones than a person would read end with "...".
inline std::string printable(std::string_view text) {
    constexpr std::size_t most_bytes = 10'000;
    return text::one_line(text, most_bytes);
}

enum class Tone { plain, good, bad, dim };

/// The text in colours of the tone, or as it is.
std::string toned(const std::string& text, Tone tone, bool colours);

/// The tone of a state's name: "parked" is bad, "done" good.
Tone tone_of(std::string_view state);

/// Columns as wide as their widest cell, two spaces apart. The last column is cut so that a line
/// fits.
class Table {
  public:
    explicit Table(std::vector<std::string> headers) : headers_(std::move(headers)) {}
    /// @param cells  as many as headers; a server's text, not yet made printable
    void add(const std::vector<std::string>& cells);
    bool empty() const { return rows_.empty(); }
    /// @param width  of the terminal; 0: lines are as long as they are
    /// @param toned_column  cells that get the tone of their word; -1: none
    std::string text(std::size_t width, bool colours, int toned_column = -1) const;

  private:
    std::vector<std::string> headers_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace vigil::cli
