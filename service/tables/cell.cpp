#include "service/tables/cell.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "schema/text/characters.hpp"

namespace vigil::tables {

namespace {

using Unit = std::pair<std::string_view, double>;

constexpr std::array time_units{
    Unit{"s", 1.0},
    Unit{"sec", 1.0},
    Unit{"secs", 1.0},
    Unit{"seconds", 1.0},
    Unit{"ms", 1e-3},
    Unit{"msec", 1e-3},
    Unit{"us", 1e-6},
    Unit{"ns", 1e-9}};

constexpr std::array byte_units{
    Unit{"bytes", 1.0},
    Unit{"kib", 1024.0},
    Unit{"mib", 1048576.0},
    Unit{"gib", 1073741824.0},
    Unit{"kb", 1e3},
    Unit{"mb", 1e6},
    Unit{"gb", 1e9}};

template <std::size_t count>
std::optional<double> find_unit(const std::array<Unit, count>& units, std::string_view name) {
    for (const auto& [unit, factor] : units) {
        if (unit == name) return factor;
    }
    return std::nullopt;
}

std::string_view without_emphasis(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t*`");
    if (begin == text.npos) return "";
    return text.substr(begin, text.find_last_not_of(" \t*`") - begin + 1);
}

/// Without a full stop, a comma or a footnote's mark at the end.
std::string_view without_marks(std::string_view text) {
    const auto last = text.find_last_not_of(" .,;*");
    return text.substr(0, last == text.npos ? 0 : last + 1);
}

}  // namespace

Cell parse_cell(std::string_view raw) {
    const std::string_view text = without_emphasis(raw);
    const std::string low = text::lower_case(text);
    Cell cell;
    for (const char* nothing : {"", "-", "nan", "n/a", "na", "none", "null", "\u2014"}) {
        if (low == nothing) return cell;
    }
    if (low.find_first_not_of(" .,;:?!*+-_/\\|()[]'\"") == low.npos) return cell;
    double number = 0;
    cell.is_signed = low.front() == '+' || low.front() == '-';
    const std::size_t begin = low.front() == '+' ? 1 : 0;
    const auto [end, error] = std::from_chars(low.data() + begin, low.data() + low.size(), number);
    auto rest = std::string_view(low).substr(static_cast<std::size_t>(end - low.data()));
    if (error == std::errc{} && std::isfinite(number)) {
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        rest = without_marks(rest);
        cell.percent = rest == "%";
        cell.is_times = rest == "x" || rest == "\u00D7";
        if (rest.empty() || cell.percent || cell.is_times) {
            cell.number = number;
            return cell;
        }
    }
    cell.word = text;
    return cell;
}

std::vector<std::string> words_of(std::string_view header) {
    std::vector<std::string> words;
    bool inside = false;
    for (const char c : text::lower_case(header)) {
        const bool part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                          static_cast<unsigned char>(c) >= 0x80;
        if (part && !inside) words.emplace_back();
        if (part) words.back() += c;
        inside = part;
    }
    return words;
}

std::optional<double> seconds_of_unit(std::string_view unit) {
    return find_unit(time_units, unit);
}

std::optional<double> bytes_of_unit(std::string_view unit) {
    return find_unit(byte_units, unit);
}

std::string mode_word(const std::string& text) {
    const std::string low = text::lower_case(text);
    if (low == "train" || low == "training") return "train";
    if (low == "infer" || low == "inference" || low == "eval") return "infer";
    return text;
}

std::optional<std::int64_t> parse_count(std::string_view raw) {
    const std::string_view text = without_marks(without_emphasis(raw));
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || count < 0 || count > 1'000'000'000) return std::nullopt;
    return count;
}

std::optional<std::int64_t> take_batch(std::vector<std::string>& words) {
    const auto at = std::find_if(words.begin(), words.end(), [](const std::string& word) {
        return word == "batch" || word == "bs";
    });
    auto number = at == words.end() ? at : at + 1;
    if (number != words.end() && *number == "size") ++number;
    const auto count = number == words.end() ? std::nullopt : parse_count(*number);
    if (count) words.erase(at, number + 1);
    return count;
}

}  // namespace vigil::tables
