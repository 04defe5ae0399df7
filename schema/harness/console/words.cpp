#include "schema/harness/console/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "schema/text/characters.hpp"

namespace vigil::harness {

namespace {

constexpr std::string_view blanks = " \t\r\v\f";
constexpr char escape = '\x1b';

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// How many bytes an escape sequence has that a text begins with.
std::size_t escape_bytes(std::string_view text) {
    if (text.size() < 2 || text[1] != '[') return std::min<std::size_t>(text.size(), 2);
    const auto end =
        std::find_if(text.begin() + 2, text.end(), [](char c) { return c >= '@' && c <= '~'; });
    return static_cast<std::size_t>(end - text.begin()) + (end == text.end() ? 0 : 1);
}

/// "1,234,567.8": every comma has three digits behind it.
bool has_thousands(std::string_view word) {
    const auto point = std::min(word.find('.'), word.size());
    auto comma = word.find(',');
    if (comma == 0 || comma > 3) return false;
    for (; comma != word.npos; comma = word.find(',', comma + 1)) {
        const auto end = std::min(word.find(',', comma + 1), point);
        if (comma > point || end - comma != 4) return false;
    }
    return true;
}

}  // namespace

std::string shown(std::string_view output) {
    std::string text;
    text.reserve(output.size());
    std::size_t line = 0;  // where the line begins that is written
    while (!output.empty()) {
        if (output.front() == escape) {
            output.remove_prefix(escape_bytes(output));
            continue;
        }
        const auto next = text::first_character(output);
        if (output.front() == '\n') line = text.size() + 1;
        const bool goes_back = output.front() == '\r' && !output.starts_with("\r\n");
        if (goes_back) text.resize(line);
        if (output.front() != '\r') text::append(text, next.code);
        output.remove_prefix(next.bytes);
    }
    return text;
}

LineWords words_of(std::string_view line) {
    LineWords words;
    for (std::size_t at = line.find_first_not_of(blanks); at != line.npos;) {
        const auto end = std::min(line.find_first_of(blanks, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = line.find_first_not_of(blanks, end);
    }
    return words;
}

std::string_view before(std::string_view line, std::string_view word) {
    return text::trimmed(line.substr(0, static_cast<std::size_t>(word.data() - line.data())));
}

std::optional<double> number_in(std::string_view word) {
    if (word.empty() || word.size() > 40 || !is_digit(word.front())) return std::nullopt;
    std::string digits(word);
    if (has_thousands(word)) {
        std::erase(digits, ',');
    } else if (std::ranges::count(word, ',') == 1 && word.find('.') == word.npos) {
        digits[digits.find(',')] = '.';  // as a machine of another language writes it
    }
    double value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || at != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

bool is_count(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, is_digit);
}

std::optional<Unit> time_unit(std::string_view word) {
    const Unit unit = unit_named(word);
    return unit.kind == MetricKind::time ? std::optional(unit) : std::nullopt;
}

std::optional<PrintedFigure> measured_at(const LineWords& words, std::size_t at) {
    if (at + 1 >= words.size()) return std::nullopt;
    const auto value = number_in(words[at]);
    if (!value) return std::nullopt;
    return PrintedFigure{*value, std::string(words[at + 1])};
}

std::optional<double> scaled_number(std::string_view word, double thousand) {
    constexpr std::string_view large = "kMGTPEZY";
    constexpr std::string_view small = "munpfazy";
    if (word.ends_with("/s")) {
        word.remove_suffix(2);
    } else if (word.size() > 1 && word.ends_with('s') && !word.ends_with("is")) {
        word.remove_suffix(1);  // what a rate is turned round to
    }
    if (word.ends_with('i')) {
        word.remove_suffix(1);
        thousand = 1024;
    }
    if (word.empty()) return std::nullopt;
    const auto up = large.find(word.back());
    const auto down = small.find(word.back());
    double steps = 0;
    if (up != large.npos) steps = static_cast<double>(up) + 1;
    if (down != small.npos) steps = -static_cast<double>(down) - 1;
    if (steps != 0) word.remove_suffix(1);
    const bool negative = word.starts_with('-');
    auto value = number_in(negative ? word.substr(1) : word);
    if (value) *value *= (negative ? -1 : 1) * std::pow(thousand, steps);
    return value;
}

}  // namespace vigil::harness
