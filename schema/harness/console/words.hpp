#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/harness/units.hpp"

// What a program printed for people, line by line and word by word. Pure functions.

namespace vigil::harness {

/// The text as a terminal shows it: without colours, and of a line that was written over only what
/// was written last. A byte that is no UTF-8 becomes U+FFFD.
std::string shown(std::string_view output);

/// What a program printed, line by line; views of one text.
using ShownLines = std::vector<std::string_view>;
using LineWords = std::vector<std::string_view>;
/// What blanks part; views of the line.
LineWords words_of(std::string_view line);

/// The part of a line before one of its words, without blanks at its ends.
std::string_view before(std::string_view line, std::string_view word);

/// "1234.5", "1,234.5" and "12,5": a finite number that is not negative; nothing for any other
/// word.
std::optional<double> number_in(std::string_view word);

/// Digits and nothing else.
bool is_count(std::string_view word);

/// The unit of a time; nothing for any other word.
std::optional<Unit> time_unit(std::string_view word);

/// A value with its unit in two words that follow one another, "47.2 ms".
struct PrintedFigure {
    double value = 0;
    std::string unit;
};
std::optional<PrintedFigure> measured_at(const LineWords& words, std::size_t at);

/// A value behind which stands how many thousands it is of, "9.32G", "12.5Mi", "3".
/// @param thousand  1000, or 1024 where the program means it without saying so
std::optional<double> scaled_number(std::string_view word, double thousand = 1000);

}  // namespace vigil::harness
