#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/text_readers.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

/// "cpu: AMD EPYC": what the run stands on.
void read_fact(std::string_view line, Report& report) {
    for (const std::string_view key : {"goos", "goarch", "cpu"}) {
        if (line.starts_with(key) && line.substr(key.size()).starts_with(": ")) {
            report.environment[std::string(key)] = line.substr(key.size() + 2);
        }
    }
}

double number_in(const std::string& word, std::string_view line) {
    double value = 0;
    const char* const end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, value);
    if (error == std::errc() && at == end) return value;
    throw Error(
        Errc::invalid_argument,
        fmt::format("'{}' is no number, in '{}'", word.substr(0, 40), line.substr(0, 120)));
}

/// @param package  told by a line before it
void read_line(std::string_view line, std::string& package, Collector& into) {
    if (line.starts_with("pkg: ")) package = line.substr(5);
    read_fact(line, into.report);
    if (!line.starts_with("Benchmark")) return;
    std::istringstream words{std::string(line)};
    std::string name, count, value, unit;
    words >> name;
    if (name.rfind("--- FAIL", 0) == 0 || !(words >> count)) return;
    if (!std::ranges::all_of(count, [](char c) { return c >= '0' && c <= '9'; })) return;
    if (!package.empty()) name = package + "." + name;
    while (words >> value >> unit) {
        into.add({name, unit == "ns/op" ? "" : unit}, unit, number_in(value, line));
    }
}

void for_each_line(std::string_view text, const auto& take) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        take(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

void read_go(std::string_view text, Collector& into) {
    std::string package;
    for_each_line(text, [&](std::string_view line) { read_line(line, package, into); });
}

void read_go_events(std::string_view text, const std::string& file, Collector& into) {
    std::map<std::string, std::string> output;  // of each package: they run side by side
    for_each_line(text, [&](std::string_view line) {
        if (line.find_first_not_of(" \t") == line.npos) return;
        const auto json = wire::parse_json(line, file);
        wire::ObjectReader event(json, "event");
        if (event.text_or("Action", "") != "output") return;
        output[event.text_or("Package", "")] += event.text_or("Output", "");
    });
    for (const auto& [package, said] : output) read_go(said, into);
}

}  // namespace vigil::harness
