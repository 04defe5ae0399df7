#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/enum_names.hpp"
#include "schema/profile/why.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::profile {

namespace {

constexpr std::size_t most_file_columns = 28;
constexpr std::size_t columns_of_numbers = 44;
constexpr std::size_t most_inlined = 3;

std::string padded(const std::string& text, std::size_t width) {
    const auto fitted = text::fitted(text, width);
    return fitted + std::string(width - std::min(width, text::columns(fitted)), ' ');
}

/// A long path by its end, which tells most.
std::string short_file(const WhyRow& row) {
    const std::string mark = row.touched ? " *" : "";
    const auto& file = row.file;
    if (file.size() + mark.size() <= most_file_columns) return file + mark;
    auto from = file.size() - (most_file_columns - mark.size() - 1);
    while (from < file.size() && (static_cast<unsigned char>(file[from]) & 0xC0U) == 0x80U) ++from;
    return "\u2026" + file.substr(from) + mark;
}

}  // namespace

std::string shapes_text(const WhyRow& row) {
    const auto listed = [](const std::vector<std::string>& shapes) {
        std::string text;
        for (const auto& one : shapes) text += (text.empty() ? "" : "; ") + one;
        return text;
    };
    const auto after = listed(row.shapes_after);
    if (row.shapes_before == row.shapes_after || row.shapes_before.empty()) return after;
    return listed(row.shapes_before) + " -> " + after;
}

std::string names_of(const WhyRow& row, const std::function<std::string(std::string)>& shown) {
    std::string text;
    const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
    if (!row.mostly_in.empty()) add("mostly in " + shown(row.mostly_in));
    if (!row.line.empty()) add((row.mostly_in.empty() ? "mostly at " : "at ") + shown(row.line));
    if (!row.in_place_of.empty()) add("in place of " + shown(row.in_place_of));
    for (std::size_t i = 0; i < std::min(row.inlined.size(), most_inlined); ++i) {
        add("with " + shown(row.inlined[i]) + " (inlined on one side)");
    }
    return text;
}

std::string more_of(const WhyRow& row) {
    std::string text = names_of(row, [](std::string name) { return name; });
    const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
    if (row.bytes_before != row.bytes_after) {
        add(fmt::format(
            "asks for {} -> {}",
            cost_text(row.bytes_before, CostUnit::operator_bytes),
            cost_text(row.bytes_after, CostUnit::operator_bytes)));
    }
    if (const auto shapes = shapes_text(row); !shapes.empty()) add("of " + shapes);
    return text;
}

std::string count_text(std::int64_t count) {
    constexpr std::array<const char*, 5> units{"", " k", " M", " G", " T"};
    double value = static_cast<double>(count);
    std::size_t unit = 0;
    while (std::abs(value) >= 1000 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return text::rounded(value, decimals) + units[unit];
}

std::string cost_text(std::int64_t cost, CostUnit unit) {
    if (unit == CostUnit::instructions || unit == CostUnit::samples) return count_text(cost);
    return text::quantity(
        static_cast<double>(cost), unit == CostUnit::operator_ns ? "ns" : "bytes");
}

std::string_view calls_word(CostUnit unit) {
    switch (unit) {
        case CostUnit::peak_bytes:
        case CostUnit::operator_peak_bytes: return "blocks";
        case CostUnit::samples: return "of the run";
        default: break;
    }
    return "calls";
}

std::string_view function_word(CostUnit unit) {
    switch (unit) {
        case CostUnit::operator_ns:
        case CostUnit::operator_bytes:
        case CostUnit::operator_peak_bytes: return "operator";
        default: break;
    }
    return "function";
}

std::string_view unit_words(CostUnit unit) {
    switch (unit) {
        case CostUnit::instructions: return "instructions";
        case CostUnit::peak_bytes:
        case CostUnit::operator_peak_bytes: return "bytes at the peak";
        case CostUnit::operator_ns: return "time of an iteration";
        case CostUnit::samples: return "samples";
        case CostUnit::operator_bytes: break;
    }
    return "bytes that operators ask for";
}

std::string_view tool_of(CostUnit unit) {
    switch (unit) {
        case CostUnit::instructions: return "callgrind";
        case CostUnit::peak_bytes: return "dhat";
        case CostUnit::samples: return "perf";
        default: break;
    }
    return "vigil-bench";
}

std::string whole_text(const Why& why) {
    const auto before = cost_text(why.before, why.unit);
    const auto after = cost_text(why.after, why.unit);
    switch (why.unit) {
        case CostUnit::instructions:
            return fmt::format(
                "One run of each side under callgrind executed {} and {} instructions",
                before,
                after);
        case CostUnit::peak_bytes:
            return fmt::format(
                "One run of each side under dhat had at most {} and {} of malloc and new in use",
                before,
                after);
        case CostUnit::operator_ns:
            return fmt::format(
                "By LibTorch's recording hooks, an iteration took {} and {}", before, after);
        case CostUnit::samples:
            return fmt::format(
                "Where the processor is was sampled by perf at even times: {} and {} samples",
                before,
                after);
        case CostUnit::operator_peak_bytes:
            return fmt::format(
                "At the peak, {} and {} that LibTorch allocated were in use", before, after);
        case CostUnit::operator_bytes: break;
    }
    return fmt::format(
        "By LibTorch's recording hooks, the operators of an iteration asked for {} and {}",
        before,
        after);
}

std::string calls_text(const Why& why, const WhyRow& row) {
    if (why.unit == CostUnit::samples) {
        const auto of = [](std::int64_t cost, std::int64_t whole) {
            return text::share(
                static_cast<double>(cost) / static_cast<double>(std::max<std::int64_t>(whole, 1)));
        };
        return of(row.before, why.before) + " -> " + of(row.after, why.after);
    }
    const auto after = count_text(row.calls_after);
    if (row.calls_before == row.calls_after) return after;
    return count_text(row.calls_before) + " -> " + after;
}

std::string why_text(const Why& why, std::size_t width) {
    std::size_t file_columns = 4;
    for (const auto& row : why.rows) {
        file_columns = std::max(file_columns, text::columns(short_file(row)));
    }
    const std::size_t taken = file_columns + columns_of_numbers + 4;
    const std::size_t name_columns = std::max<std::size_t>(24, width - std::min(width, taken));
    std::string text;
    if (!why.rows.empty()) {
        text += fmt::format(
            "  {}  {}  {:>9}  {:>9}  {:>7}  {}\n",
            padded(std::string(function_word(why.unit)), name_columns),
            padded(function_word(why.unit) == "operator" ? "" : "file", file_columns),
            "before",
            "after",
            "share",
            calls_word(why.unit));
    }
    bool touched = false;
    for (const auto& row : why.rows) {
        touched = touched || row.touched;
        text += fmt::format(
            "  {}  {}  {:>9}  {:>9}  {:>7}  {}\n",
            padded(row.function, name_columns),
            padded(short_file(row), file_columns),
            cost_text(row.before, why.unit),
            cost_text(row.after, why.unit),
            text::share(row.share, 0),
            calls_text(why, row));
        if (const auto more = more_of(row); !more.empty()) {
            text += "    " + text::fitted(more, std::max<std::size_t>(width, 40) - 4) + "\n";
        }
    }
    text += "  " + why.words + (touched ? "; * the commit changes this file" : "") + "\n";
    for (const auto& note : why.notes) text += "  note: " + note + "\n";
    for (const auto& one : why.beside) {
        text += fmt::format(
            "{} of one run of each side, by {}\n{}",
            unit_words(one.unit),
            tool_of(one.unit),
            why_text(one, width));
    }
    return text;
}

nlohmann::json why_json(const Why& why) {
    auto rows = nlohmann::json::array();
    for (const auto& row : why.rows) {
        nlohmann::json one{
            {"function", row.function},
            {"file", row.file},
            {"before", row.before},
            {"after", row.after},
            {"share", row.share},
            {"calls_before", row.calls_before},
            {"calls_after", row.calls_after},
            {"touched", row.touched},
            {"inlined", row.inlined},
            {"mostly_in", row.mostly_in}};
        if (!row.line.empty()) one["line"] = row.line;
        if (function_word(why.unit) == "operator") {
            one["bytes_before"] = row.bytes_before;
            one["bytes_after"] = row.bytes_after;
            one["shapes_before"] = row.shapes_before;
            one["shapes_after"] = row.shapes_after;
            one["in_place_of"] = row.in_place_of;
        }
        rows.push_back(std::move(one));
    }
    nlohmann::json value{
        {"unit", to_string(why.unit)},
        {"before", why.before},
        {"after", why.after},
        {"rows", std::move(rows)},
        {"telling", why.telling},
        {"explained", why.explained},
        {"words", why.words},
        {"notes", why.notes}};
    if (why.beside.empty()) return value;
    auto& beside = value["beside"] = nlohmann::json::array();
    for (const auto& one : why.beside) beside.push_back(why_json(one));
    return value;
}

}  // namespace vigil::profile
