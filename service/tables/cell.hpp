#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What stands in a cell or a header. Pure text.

namespace vigil::tables {

/// A cell is a number, a word, or nothing ("", "-", "nan", "n/a", "null", marks alone like ".").
/// Marks behind a number are passed over: "12.5.", "3*".
struct Cell {
    std::optional<double> number;  ///< finite; without its "x", "%" or unit
    bool percent = false;
    bool is_times = false;   ///< "1.2x"
    bool is_signed = false;  ///< "+12%", "-3%"
    std::string word;        ///< what is no number, as it stands there
};
Cell parse_cell(std::string_view text);

/// "Compile_time (s)" as {"compile", "time", "s"}.
std::vector<std::string> words_of(std::string_view header);

/// Seconds of "s", "sec", "seconds", "ms", "us", "ns".
std::optional<double> seconds_of_unit(std::string_view unit);
/// Bytes of "bytes", "kib", "mib", "gib", "kb", "mb", "gb".
std::optional<double> bytes_of_unit(std::string_view unit);

/// "train" of training, "infer" of inference and eval, anything else as it is.
std::string mode_word(const std::string& text);

/// A whole number in 0..1'000'000'000; nothing when it is none, or not said ("None", "-").
std::optional<std::int64_t> parse_count(std::string_view text);

/// Takes the first "batch size 16" or "bs 16" out of the words; nothing when it names no count.
std::optional<std::int64_t> take_batch(std::vector<std::string>& words);

}  // namespace vigil::tables
