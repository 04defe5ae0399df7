#include "schema/harness/format.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/csv_table.hpp"
#include "schema/harness/text_readers.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"

namespace vigil::harness {

namespace {

using nlohmann::json;

constexpr std::string_view json_blanks = " \t\r\n";
constexpr const char* unknown = "none of the known formats (vigil import --help lists them)";

[[noreturn]] void refuse_format(const std::string& file, const std::string& why) {
    throw Error(Errc::invalid_argument, fmt::format("reading {}: {}", file, why));
}

/// Python's words that JSON does not have become others, of the same length.
std::string with_words(std::string_view text, std::string_view not_a_number) {
    std::string clean(text);
    bool is_string = false;
    for (std::size_t i = 0; i < clean.size(); ++i) {
        if (clean[i] == '"') is_string = !is_string;
        if (clean[i] == '\\' && is_string) ++i;
        if (is_string) continue;
        for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
            if (clean.compare(i, word.size(), word) != 0) continue;
            const auto other = word == "NaN" ? not_a_number : "null";
            clean.replace(i, word.size(), fmt::format("{:<{}}", other, word.size()));
        }
    }
    return clean;
}

bool is_list(const json& file, const char* key) {
    return file.contains(key) && file[key].is_array();
}

bool is_object(const json& file, const char* key) {
    return file.contains(key) && file[key].is_object();
}

bool has_entry_with(const json& list, const char* key) {
    return std::ranges::any_of(
        list, [&](const json& entry) { return entry.is_object() && entry.contains(key); });
}

/// A member is an object of objects with a "value".
bool is_bmf(const json& file) {
    return std::ranges::any_of(file, [](const json& measures) {
        return measures.is_object() && has_entry_with(measures, "value");
    });
}

std::optional<Harness> harness_of_list(const json& file) {
    if (has_entry_with(file, "primaryMetric")) return Harness::jmh;
    const bool named = has_entry_with(file, "name") && has_entry_with(file, "value");
    return named ? std::optional(Harness::github_action_benchmark) : std::nullopt;
}

std::optional<Harness> harness_of(const json& file) {
    if (file.is_array()) return harness_of_list(file);
    if (!file.is_object()) return std::nullopt;
    if (is_list(file, "Benchmarks")) return Harness::benchmark_dot_net;
    if (is_list(file, "benchmarks")) {
        const bool pytest =
            is_object(file, "machine_info") || has_entry_with(file["benchmarks"], "stats");
        return pytest ? Harness::pytest_benchmark : Harness::google_benchmark;
    }
    if (is_list(file, "results")) return Harness::hyperfine;
    if (is_object(file, "results") && file.contains("commit_hash")) return Harness::asv;
    if (is_object(file, "metrics") && is_object(file, "environ")) return Harness::torchbench;
    if (is_object(file, "entries")) return Harness::github_action_benchmark;
    return std::nullopt;
}

/// asv keeps files beside its results that hold none. @return  what it is; empty: none of them
std::string companion_of_asv(const json& file) {
    if (!file.is_object() || !file.contains("version")) return "";
    if (file.contains("machine") && file.contains("arch") && !file.contains("results")) {
        return "asv's description of a machine, which holds no results";
    }
    return has_entry_with(file, "code") ? "asv's list of its benchmarks, which holds no results"
                                        : "";
}

json parsed(
    std::string_view text,
    const std::string& file,
    text::ReadBudget& budget,
    std::string_view not_a_number = "null") {
    budget.make(text.size());
    auto document = wire::parse_json(
        with_words(text, not_a_number),
        file,
        {.max_bytes = max_file_bytes,
         .max_depth = text::ReadBudget::most_levels,
         .budget = &budget});
    budget.give_back(text.size());
    return document;
}

/// Of a text that is read line by line: whose its first line is that is anybody's. Lines of other
/// kinds may stand before it.
std::optional<Harness> harness_of_lines(std::string_view text, text::ReadBudget& budget) {
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        budget.step(line.size() + 1);
        if (is_go_result(line)) return Harness::go;
        const auto object = object_in(line, budget);
        if (is_go_event(object)) return Harness::go;
        const bool told = object.contains("reason") && object["reason"].is_string();
        if (told) return Harness::criterion;
    }
    return std::nullopt;
}

std::optional<Harness> harness_of_table(std::string_view text, const std::string& file) {
    const auto table = [&]() -> std::optional<CsvTable> {
        try {
            return CsvTable(text, file);
        } catch (const Error&) {
            return std::nullopt;
        }
    }();
    if (!table) return std::nullopt;
    const auto has = [&](const char* name) {
        return std::ranges::count(table->columns(), name) > 0;
    };
    if (has("iteration_count") && has("function")) return Harness::criterion;
    if (has("dev") && has("name") && has("batch_size")) return Harness::dynamo;
    if ((has("benchmark") || has("name")) && has("value")) return Harness::csv;
    return std::nullopt;
}

/// github-action-benchmark keeps its data as a script.
std::string_view script_data(std::string_view text) {
    constexpr std::string_view begin = "window.BENCHMARK_DATA";
    if (!text.starts_with(begin)) return text;
    text.remove_prefix(std::min(text.find('{'), text.size()));
    const auto last = text.find_last_of('}');
    return text.substr(0, last == text.npos ? 0 : last + 1);
}

bool is_document(Harness harness) {
    constexpr std::array others = {
        Harness::go, Harness::catch2, Harness::dynamo, Harness::csv, Harness::criterion};
    return std::ranges::count(others, harness) == 0;
}

Opened opened_as(Harness harness, json&& document) {
    return {harness, std::make_shared<const json>(std::move(document)), false};
}

Opened open_document(std::string_view text, const std::string& file, text::ReadBudget& budget) {
    auto document = parsed(text, file, budget);
    const auto harness = harness_of(document);
    if (!harness) {
        const auto companion = companion_of_asv(document);
        if (!companion.empty()) refuse_format(file, companion);
        if (document.is_object() && is_bmf(document))
            return opened_as(Harness::bmf, std::move(document));
        refuse_format(file, unknown);
    }
    return opened_as(*harness, std::move(document));
}

/// A history's rows are objects too, one a line.
void refuse_history(std::string_view text, const std::string& file, text::ReadBudget& budget) {
    const auto first = object_in(text.substr(0, text.find('\n')), budget);
    if (!first.contains("value") && !first.contains("values")) return;
    refuse_format(file, "it is a history, one row or one series a line, and no harness's file");
}

Opened seen(std::string_view text, const std::string& file, text::ReadBudget& budget) {
    if (text[0] == '<') return {Harness::catch2};
    if (text.starts_with("window.BENCHMARK_DATA")) {
        return open_document(script_data(text), file, budget);
    }
    if (text[0] == '{' || text[0] == '[') {
        refuse_history(text, file, budget);
        const auto before = budget.held();
        try {
            return open_document(text, file, budget);
        } catch (const text::BudgetError&) {
            throw;
        } catch (const Error&) {
            budget.give_back(budget.held() - before);
            // Lines of JSON, or of a log before others, are no document.
            if (const auto lines = harness_of_lines(text, budget)) return {*lines};
            throw;
        }
    }
    if (const auto table = harness_of_table(text, file)) return {*table};
    if (const auto lines = harness_of_lines(text, budget)) return {*lines};
    refuse_format(
        file,
        "none of the known formats; a CSV needs the columns 'benchmark' and 'value' (vigil import "
        "--help lists what is read)");
}

}  // namespace

json parse_line(std::string_view line, text::ReadBudget& budget) {
    return wire::parse_json(with_words(line, "null"), "the line", {.budget = &budget});
}

json object_in(std::string_view line, text::ReadBudget& budget) {
    constexpr std::size_t steps_of_line = 200;
    constexpr std::size_t steps_of_exception = 2000;
    const auto first = line.find_first_not_of(json_blanks);
    if (first == line.npos || line[first] != '{') return nullptr;
    if (line[line.find_last_not_of(json_blanks)] != '}') return nullptr;
    const text::BudgetLoan loan(budget);
    budget.step(steps_of_line);
    try {
        return parse_line(line, budget);
    } catch (const text::BudgetError&) {
        throw;
    } catch (const Error&) {
        budget.step(steps_of_exception);
        return nullptr;
    }
}

Opened open_file(
    std::string_view text,
    const std::string& file,
    std::optional<Harness> wanted,
    text::ReadBudget& budget) {
    const auto before = budget.held();
    Opened opened;
    if (!wanted) {
        opened = seen(text, file, budget);
    } else {
        opened.harness = *wanted;
        if (is_document(*wanted)) {
            opened = opened_as(*wanted, parsed(script_data(text), file, budget));
        }
    }
    opened.is_table =
        opened.harness == Harness::criterion && harness_of_table(text, file) == Harness::criterion;
    // asv writes null for what failed and NaN for what was skipped: NaN becomes a text there.
    const bool may_skip = opened.harness == Harness::asv && text.find("NaN") != text.npos;
    if (may_skip) {
        opened.document.reset();
        budget.give_back(budget.held() - before);
        opened = opened_as(Harness::asv, parsed(text, file, budget, "\"\""));
    }
    return opened;
}

}  // namespace vigil::harness
