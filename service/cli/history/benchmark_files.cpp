#include "service/cli/history/benchmark_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/cli/common/option.hpp"
#include "service/cli/history/history_rows.hpp"
#include "worker/run/samples.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;
using wire::Item;
using wire::ObjectReader;

constexpr wire::NumberRange benchmark_times{0, 1e15};
constexpr std::size_t longest_benchmark_name = 500;
constexpr std::size_t longest_context_text = 10'000;  ///< of a date or a machine's name

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

enum class BenchmarkWriter { google_benchmark, hyperfine };

/// What one benchmark said in one file.
struct BenchmarkSaid {
    std::vector<double> times;     ///< ns, or s of hyperfine
    std::optional<double> middle;  ///< of an aggregate, or of hyperfine without its times
    double unit = 1;               ///< times are shown in so many of these
    bool is_median = false;
};

struct BenchmarkNight {
    std::string name;  ///< of the file
    BenchmarkWriter writer = BenchmarkWriter::hyperfine;
    std::string date;  ///< empty: it says none
    NightKey key;
    std::string environment;
    std::string machine;
    std::vector<std::string> order;
    std::map<std::string, BenchmarkSaid> said;
    std::size_t failed = 0;  ///< repetitions that ended with an error
};

/// Whether a key with an array stands in the text.
bool has_list(std::string_view text, std::string_view key) {
    constexpr std::string_view space = " \t\r\n";
    for (auto at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
        auto next = text.find_first_not_of(space, at + key.size());
        if (next == text.npos || text[next] != ':') continue;
        next = text.find_first_not_of(space, next + 1);
        if (next != text.npos && text[next] == '[') return true;
    }
    return false;
}

BenchmarkSaid& said_of(BenchmarkNight& night, const std::string& name, const Item& item) {
    if (name.empty() || name.size() > longest_benchmark_name) {
        wire::refuse(
            item.path, fmt::format("needs a name of 1 to {} bytes", longest_benchmark_name));
    }
    const auto [place, is_new] = night.said.try_emplace(name);
    if (is_new) night.order.push_back(name);
    return place->second;
}

/// "2015/03/17-18:40:25", as old versions write it, becomes "2015-03-17T18:40:25".
std::string plain_date(std::string date) {
    if (date.size() < 11 || date[4] != '/' || date[7] != '/' || date[10] != '-') return date;
    date[4] = date[7] = '-';
    date[10] = 'T';
    return date;
}

void read_google_context(BenchmarkNight& night, ObjectReader& file) {
    auto context = file.find_object("context");
    if (!context) return;
    night.date = plain_date(context->text_or("date", "", longest_context_text));
    if (!night.date.empty()) {
        try {
            night.key = parse_night(night.date);
        } catch (const Error& error) {
            wire::refuse(context->path("date"), fmt::format("is no date: {}", error.what()));
        }
        if (night.key.kind != NightKey::Kind::time)
            wire::refuse(context->path("date"), "is no date");
    }
    night.machine = context->text_or("host_name", "", longest_context_text);
    // Another number of processors is another machine, a debug library another program.
    if (context->has("num_cpus")) {
        night.environment =
            fmt::format("{} cpus", context->integer("num_cpus", wire::not_negative));
    }
    const auto build = context->text_or("library_build_type", "", longest_context_text);
    if (!build.empty()) night.environment += (night.environment.empty() ? "" : ", ") + build;
}

void read_aggregate(BenchmarkNight& night, const Item& item, ObjectReader& entry, double unit) {
    const auto kind = entry.text_or("aggregate_name", "");
    if (kind != "median" && kind != "mean") return;
    BenchmarkSaid& said = said_of(night, entry.text_or("run_name", ""), item);
    if (said.is_median && kind == "mean") return;
    said.middle = entry.number("real_time", benchmark_times) * unit;
    said.is_median = kind == "median";
    said.unit = unit;
}

void read_google_night(BenchmarkNight& night, ObjectReader& file) {
    read_google_context(night, file);
    for (const auto& item : file.items("benchmarks")) {
        ObjectReader entry(item);
        const auto name = entry.text("name");
        const auto run = entry.text_or("run_name", name);
        if (entry.flag_or("error_occurred", false)) {
            said_of(night, run, item);
            ++night.failed;
            continue;
        }
        const auto type = entry.text_or("run_type", "iteration");
        if (type != "iteration" && type != "aggregate") {
            wire::refuse(entry.path("run_type"), "must be iteration or aggregate");
        }
        const auto aggregate = entry.text_or("aggregate_name", "");
        if (type == "aggregate" && aggregate != "median" && aggregate != "mean") continue;
        const double unit = worker::unit_factor(MetricKind::time, entry.text_or("time_unit", "ns"));
        if (type == "aggregate") {
            read_aggregate(night, item, entry, unit);
            continue;
        }
        BenchmarkSaid& said = said_of(night, run, item);
        said.unit = unit;
        said.times.push_back(entry.number("real_time", benchmark_times) * unit);
    }
}

void read_hyperfine_night(BenchmarkNight& night, ObjectReader& file) {
    for (const auto& item : file.items("results")) {
        ObjectReader entry(item);
        BenchmarkSaid& said = said_of(night, entry.text("command"), item);
        const auto times = entry.items_or_none("times");
        const auto codes = entry.items_or_none("exit_codes");
        for (std::size_t i = 0; i < times.size(); ++i) {
            const bool passed = i >= codes.size() || (codes[i].value->is_number_integer() &&
                                                      codes[i].value->get<std::int64_t>() == 0);
            const double time = wire::number_of(times[i], benchmark_times);
            if (passed) said.times.push_back(time);
            night.failed += passed ? 0 : 1;
        }
        if (!times.empty()) continue;
        const char* middle = entry.has("median") ? "median" : "mean";
        said.middle = entry.number(middle, benchmark_times);
    }
}

BenchmarkNight read_benchmark_night(const NamedText& file) {
    std::string_view text = file.text;
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const json document = wire::parse_json(text, file.name, {.max_bytes = max_benchmark_bytes});
    BenchmarkNight night;
    night.name = file.name;
    try {
        ObjectReader reader(document, "file");
        const bool google = reader.has("benchmarks");
        if (google == reader.has("results")) {
            wire::refuse(
                "file",
                "must have either 'benchmarks' (Google Benchmark) or 'results' "
                "(hyperfine)");
        }
        night.writer = google ? BenchmarkWriter::google_benchmark : BenchmarkWriter::hyperfine;
        google ? read_google_night(night, reader) : read_hyperfine_night(night, reader);
        if (night.order.empty()) wire::refuse("file", "holds no benchmark");
    } catch (const Error& error) {
        refuse(fmt::format("reading {}: {}", file.name, error.what()));
    }
    return night;
}

/// Puts the nights in their order and gives each its name.
void put_in_order(std::vector<BenchmarkNight>& nights, std::vector<std::string>& notes) {
    const auto undated =
        std::find_if(nights.begin(), nights.end(), [](const BenchmarkNight& night) {
            return night.date.empty();
        });
    if (undated != nights.end()) {
        if (nights.front().writer == BenchmarkWriter::google_benchmark) {
            notes.push_back(fmt::format(
                "{} says no date: nights are numbered in the order of the files", undated->name));
        }
        for (std::size_t i = 0; i < nights.size(); ++i) {
            nights[i].date = std::to_string(i + 1);
            nights[i].key = {NightKey::Kind::number, static_cast<std::int64_t>(i + 1)};
        }
        return;
    }
    const auto earlier = [](const BenchmarkNight& a, const BenchmarkNight& b) {
        return a.key.value < b.key.value;
    };
    if (std::is_sorted(nights.begin(), nights.end(), earlier)) return;
    std::stable_sort(nights.begin(), nights.end(), earlier);
    notes.emplace_back("files were not in the order of their dates: sorted");
}

/// Two files of one time are the same night twice: most likely one file, given twice.
void check_once(const std::vector<BenchmarkNight>& nights) {
    for (std::size_t i = 1; i < nights.size(); ++i) {
        if (nights[i].key.value != nights[i - 1].key.value) continue;
        refuse(fmt::format(
            "{} and {} are of the same time, {}: the same night twice",
            nights[i - 1].name,
            nights[i].name,
            nights[i].date));
    }
}

/// The nights' answers about one benchmark. @return  nights on which it was not measured
std::size_t fill_nights(History& history, const std::vector<BenchmarkNight>& nights) {
    std::optional<double> unit;
    std::size_t missing = 0;
    for (const auto& night : nights) {
        const auto found = night.said.find(history.name);
        double value = std::numeric_limits<double>::quiet_NaN();
        if (found != night.said.end()) {
            const BenchmarkSaid& said = found->second;
            unit = unit.value_or(said.unit);
            std::vector<double> times = said.times;
            for (double& time : times) time /= *unit;
            if (!times.empty()) {
                value = stats::median(times);
            } else if (said.middle) {
                value = *said.middle / *unit;
            }
            if (times.size() > 1) history.samples[history.values.size()] = std::move(times);
        }
        missing += std::isfinite(value) ? 0 : 1;
        history.nights.push_back(night.date);
        history.values.push_back(value);
        history.environments.push_back(night.environment);
    }
    return missing;
}

void note_machines(const std::vector<BenchmarkNight>& nights, std::vector<std::string>& notes) {
    std::map<std::string, std::size_t> machines;
    for (const auto& night : nights) machines[night.machine] += night.machine.empty() ? 0 : 1;
    machines.erase("");
    if (machines.size() < 2) return;
    notes.push_back(fmt::format(
        "the files name {} machines: their nights are held against each other all the same",
        machines.size()));
}

}  // namespace

bool is_benchmark_file(std::string_view text) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos || text[first] != '{') return false;
    if (!has_list(text, "\"benchmarks\"") && !has_list(text, "\"results\"")) return false;
    // A row may have a member of that name; its line is a whole object.
    const auto line = text.substr(first, text.find('\n', first) - first);
    return !has_list(line, "\"values\"") && line.find("\"value\"") == line.npos;
}

HistoryFile read_benchmark_files(const std::vector<NamedText>& files) {
    std::vector<BenchmarkNight> nights;
    HistoryFile history;
    std::vector<std::string> order;
    std::set<std::string> known;
    std::size_t failed = 0;
    for (const auto& file : files) {
        nights.push_back(read_benchmark_night(file));
        const BenchmarkNight& night = nights.back();
        if (night.writer != nights.front().writer) {
            refuse(fmt::format(
                "{} and {} are of different programs: give the files of one",
                nights.front().name,
                night.name));
        }
        failed += night.failed;
        for (const auto& name : night.order) {
            if (known.insert(name).second) order.push_back(name);
        }
        if (order.size() * nights.size() > max_history_rows) {
            refuse(fmt::format("reading {}: more than {} values", night.name, max_history_rows));
        }
    }
    put_in_order(nights, history.notes);
    check_once(nights);
    std::size_t holed = 0;
    for (const auto& name : order) {
        History& one = history.series.emplace_back();
        one.name = name;
        one.direction = Direction::lower_is_better;
        holed += fill_nights(one, nights) > 0 ? 1 : 0;
    }
    if (failed > 0) {
        history.notes.push_back(
            fmt::format("{} repetitions ended with an error: left out", failed));
    }
    if (holed > 0) {
        history.notes.push_back(fmt::format(
            "{} of {} benchmarks were not measured on every night", holed, order.size()));
    }
    note_machines(nights, history.notes);
    return history;
}

}  // namespace vigil::cli
