#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Text for a terminal. Everything a server says goes through `printable` first: a log or a commit
// subject must not move the cursor, recolour, or reorder what is shown. Pure functions.

namespace vigil::cli {

enum class Lines { one, many };

/// Valid UTF-8 without control, bidirectional and zero-width characters. `one`: line breaks and
/// tabs become spaces; `many`: they stay, and a carriage return ends nothing.
std::string printable(std::string_view text, Lines lines = Lines::one);

/// Characters shown, counting each code point as one.
std::size_t width_of(std::string_view text);

/// At most `width` characters; a cut is shown as "…".
std::string cut(const std::string& text, std::size_t width);

enum class Tone { plain, good, bad, dim };

/// The text in colours of the tone, or as it is.
std::string toned(const std::string& text, Tone tone, bool colours);

/// The tone of a state's name: "parked" is bad, "done" good.
Tone tone_of(std::string_view state);

/// "12 s", "4 min 05 s", "3 h 12 min", "2 d 3 h".
std::string duration(std::int64_t seconds);

/// "3 min ago", "in 2 h", "now".
std::string ago(std::int64_t then_s, std::int64_t now_s);

/// "2026-11-21 04:05".
std::string utc(std::int64_t seconds);

/// Seconds of a day's start. @throws Error{invalid_argument} unless "YYYY-MM-DD" is a real day
std::int64_t parse_day(const std::string& day);

/// "+18.3 %", halves away from zero.
std::string percent(double ratio);

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
