#include <algorithm>
#include <optional>
#include <string>

#include "schema/harness/console/readers.hpp"
#include "schema/harness/console/words.hpp"
#include "schema/text/characters.hpp"

namespace vigil::harness {

namespace {

constexpr std::string_view modes[] = {"thrpt", "avgt", "sample", "ss"};

bool is_mode(std::string_view word) {
    return std::ranges::count(modes, word) > 0;
}

/// The names of the parameters; nothing: the line is no head.
std::optional<LineWords> jmh_head(const LineWords& words) {
    const auto has = [&](std::string_view name) { return std::ranges::count(words, name) > 0; };
    if (words.empty() || words.front() != "Benchmark" || words.back() != "Units") return {};
    if (!has("Mode") || !(has("Score") || has("Mean"))) return {};
    LineWords names;
    for (const auto word : words) {
        if (word.starts_with('(') && word.ends_with(')')) {
            names.push_back(text::first_bytes(word.substr(1, word.size() - 2), longest_name));
        }
    }
    return names;
}

/// JMH parts no thousands: its comma is the point of another language.
std::optional<double> score_of(std::string_view word) {
    std::string digits(word);
    std::ranges::replace(digits, ',', '.');
    return number_in(digits);
}

/// The score behind a mode and perhaps a count: "25  3468.123 ± 12.3  ops/ms". A score that the
/// table is too coarse for, "≈ 10⁻³", is none.
std::optional<PrintedFigure> score_in(const LineWords& words, std::size_t from) {
    if (from + 1 >= words.size()) return std::nullopt;
    const auto second = score_of(words[from + 1]);
    const bool has_count = is_count(words[from]) && second;
    const auto score = has_count ? second : score_of(words[from]);
    const bool coarse = words[from] == "≈" || words[from + 1] == "≈";
    if (!score || coarse) return std::nullopt;
    return PrintedFigure{*score, std::string(words.back())};
}

}  // namespace

void read_jmh_table(const ShownLines& lines, Collector& into) {
    std::optional<LineWords> parameters;
    std::size_t head_bytes = 0;
    for (const auto line : lines) {
        const auto words = words_of(line);
        if (auto head = jmh_head(words)) {
            parameters = std::move(head);
            head_bytes = line.size();
            continue;
        }
        if (!parameters || words.size() < 4) continue;
        const auto mode = std::find_if(words.begin() + 1, words.end(), is_mode);
        if (mode == words.end()) continue;
        const auto at = static_cast<std::size_t>(mode - words.begin());
        if (at != parameters->size() + 1) continue;
        into.budget().step(head_bytes);
        const auto score = score_in(words, at + 1);
        if (!score) continue;
        const auto colon = words[0].find(':');
        std::string name(words[0].substr(0, colon));
        const std::string quantity(colon == words[0].npos ? *mode : words[0].substr(colon + 1));
        std::string values;
        for (std::size_t i = 0; i < parameters->size(); ++i) {
            if (words[i + 1] == "N/A") continue;
            values += (values.empty() ? "" : ",") + std::string((*parameters)[i]) + "=" +
                      std::string(words[i + 1]);
        }
        if (!values.empty()) name += "(" + values + ")";
        into.add_summary({name, quantity}, score->unit, score->value);
    }
}

}  // namespace vigil::harness
