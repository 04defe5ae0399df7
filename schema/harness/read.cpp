#include "schema/harness/read.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/csv_table.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/harness/text_readers.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/json.hpp"

namespace vigil::harness {

namespace {

using nlohmann::json;

constexpr std::string_view blanks = " \t\r\n";

[[noreturn]] void refuse_file(const std::string& file, const std::string& why) {
    throw Error(Errc::invalid_argument, fmt::format("reading {}: {}", file, why));
}

/// Without a mark of UTF-8 and blanks at its beginning.
std::string_view trimmed(std::string_view text, const std::string& file) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const auto first = text.find_first_not_of(blanks);
    if (first == text.npos) refuse_file(file, "it is empty");
    return text.substr(first);
}

/// Python writes NaN and Infinity, which JSON does not have: null, of the same length, so that
/// places in errors stay true.
std::string with_nulls(std::string_view text) {
    std::string clean(text);
    bool is_string = false;
    for (std::size_t i = 0; i < clean.size(); ++i) {
        if (clean[i] == '"') is_string = !is_string;
        if (clean[i] == '\\' && is_string) ++i;
        if (is_string) continue;
        for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
            if (clean.compare(i, word.size(), word) != 0) continue;
            clean.replace(i, word.size(), fmt::format("{:<{}}", "null", word.size()));
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

/// Every member is an object of objects with a "value".
bool is_bmf(const json& file) {
    return !file.empty() && std::ranges::all_of(file, [](const json& measures) {
        return measures.is_object() && !measures.empty() &&
               std::ranges::all_of(measures, [](const json& said) {
                   return said.is_object() && said.contains("value");
               });
    });
}

std::optional<Harness> harness_of(const json& file) {
    if (file.is_array()) {
        const bool jmh = !file.empty() && file[0].is_object() && file[0].contains("primaryMetric");
        return jmh ? std::optional(Harness::jmh) : std::nullopt;
    }
    if (!file.is_object()) return std::nullopt;
    if (is_list(file, "Benchmarks")) return Harness::benchmark_dot_net;
    if (is_list(file, "benchmarks")) {
        return is_object(file, "machine_info") ? Harness::pytest_benchmark
                                               : Harness::google_benchmark;
    }
    if (is_list(file, "results")) return Harness::hyperfine;
    if (is_list(file, "result_columns") && is_object(file, "results")) return Harness::asv;
    if (is_object(file, "metrics") && is_object(file, "environ")) return Harness::torchbench;
    if (is_bmf(file)) return Harness::bmf;
    return std::nullopt;
}

/// The first line where it is an object of its own: then the file holds one a line.
json first_object(std::string_view text) {
    const auto line = text.substr(0, text.find('\n'));
    if (line[0] != '{' || line[line.find_last_not_of(blanks)] != '}') return nullptr;
    try {
        return wire::parse_json(with_nulls(line), "the first line");
    } catch (const Error&) {
        return nullptr;
    }
}

/// @throws Error{invalid_argument} when it is a history of Vigil's own
std::optional<Harness> harness_of_lines(std::string_view text, const std::string& file) {
    const auto first = first_object(text);
    if (first.contains("reason")) return Harness::criterion;
    if (first.contains("Action")) return Harness::go;
    if (first.contains("value") || first.contains("values")) {
        refuse_file(file, "it is a history, one row or one series a line, and no harness's file");
    }
    return std::nullopt;
}

Harness harness_of_table(std::string_view text, const std::string& file) {
    const CsvTable table(text, file);
    const auto has = [&](const char* name) {
        return std::ranges::count(table.columns(), name) > 0;
    };
    if (has("iteration_count") && has("function")) return Harness::criterion;
    if (has("dev") && has("name") && has("batch_size")) return Harness::dynamo;
    if ((has("benchmark") || has("name")) && has("value")) return Harness::csv;
    refuse_file(
        file,
        "none of the known formats; a CSV needs the columns 'benchmark' and 'value' (vigil import "
        "--help lists what is read)");
}

/// What a file is, and its document where it is one of JSON: it is parsed once.
struct Opened {
    Harness harness = Harness::csv;
    json document;
};

Opened open(std::string_view text, const std::string& file) {
    if (text[0] == '<') return {Harness::catch2, {}};
    if (text[0] == '{' || text[0] == '[') {
        if (const auto lines = harness_of_lines(text, file)) return {*lines, {}};
        auto whole = wire::parse_json(with_nulls(text), file, {.max_bytes = max_file_bytes});
        if (const auto found = harness_of(whole)) return {*found, std::move(whole)};
        refuse_file(file, "none of the known formats (vigil import --help lists them)");
    }
    if (text.find(" ns/op") != text.npos || text.starts_with("goos: ")) return {Harness::go, {}};
    return {harness_of_table(text, file), {}};
}

void read_json_lines(std::string_view text, const std::string& file, Collector& into) {
    for (int number = 1; !text.empty(); ++number) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.find_first_not_of(blanks) == line.npos) continue;
        try {
            read_criterion(wire::parse_json(with_nulls(line), "the line"), into);
        } catch (const Error& error) {
            refuse_file(file, fmt::format("line {}: {}", number, error.what()));
        }
    }
}

void read_one(
    const Opened& opened, std::string_view text, const std::string& file, Collector& into) {
    const json& document = opened.document;
    switch (opened.harness) {
        case Harness::google_benchmark: return read_google_benchmark(document, into);
        case Harness::pytest_benchmark: return read_pytest_benchmark(document, into);
        case Harness::hyperfine: return read_hyperfine(document, into);
        case Harness::jmh: return read_jmh(document, into);
        case Harness::benchmark_dot_net: return read_benchmark_dot_net(document, into);
        case Harness::asv: return read_asv(document, into);
        case Harness::torchbench: return read_torchbench(document, into);
        case Harness::bmf: return read_bmf(document, into);
        case Harness::criterion:
            return text.front() == '{' ? read_json_lines(text, file, into)
                                       : read_criterion_csv(text, file, into);
        case Harness::go:
            return text.front() == '{' ? read_go_events(text, file, into) : read_go(text, into);
        case Harness::catch2: return read_catch2(text, into);
        case Harness::dynamo: return read_dynamo(text, file, into);
        case Harness::csv: return;
    }
}

}  // namespace

bool is_report(std::string_view text) {
    try {
        wire::check_utf8(text, "");
        open(trimmed(text, ""), "");
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::vector<Report> read_reports(std::string_view text, const std::string& file) {
    if (text.size() > max_file_bytes) {
        refuse_file(
            file, fmt::format("{} bytes, at most {} are read", text.size(), max_file_bytes));
    }
    wire::check_utf8(text, file);
    text = trimmed(text, file);
    const auto opened = open(text, file);
    std::vector<Report> reports;
    try {
        if (opened.harness == Harness::csv) {
            reports = read_columns(text, file);
        } else {
            Collector collector(opened.harness);
            read_one(opened, text, file, collector);
            reports.push_back(std::move(collector.report));
        }
    } catch (const Error& error) {
        if (std::string_view(error.what()).starts_with("reading ")) throw;
        refuse_file(file, error.what());
    }
    if (std::ranges::all_of(reports, [](const Report& one) { return one.readings.empty(); })) {
        refuse_file(file, "it holds no benchmark");
    }
    return reports;
}

}  // namespace vigil::harness
