#include "service/cli/history/benchmark_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "schema/harness/collector.hpp"
#include "schema/harness/read.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/common/option.hpp"

namespace vigil::cli {

namespace {

using harness::Reading;
using harness::Report;

/// Benchmark, quantity, definition: one series.
using SeriesKey = std::tuple<std::string, std::string, std::string>;

struct BenchmarkNight {
    std::string file;
    std::string name;  ///< what the night is called
    Report report;
    std::map<SeriesKey, const Reading*> readings = {};
};

SeriesKey key_of(const Reading& reading) {
    return {reading.benchmark, reading.quantity, reading.definition};
}

std::string environment_of(const Report& report) {
    std::string all;
    for (const auto& [fact, value] : report.environment) {
        all += fmt::format("{}{} {}", all.empty() ? "" : ", ", fact, value);
    }
    return all;
}

/// "2026-03-01", or "2026-03-01T04:05:06Z" where the file says more than a day.
std::string time_name(std::int64_t time_s) {
    constexpr std::int64_t day_s = 86'400;
    const auto time = fmt::gmtime(static_cast<std::time_t>(time_s));
    return time_s % day_s == 0 ? fmt::format("{:%Y-%m-%d}", time)
                               : fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", time);
}

std::vector<BenchmarkNight> read_nights(const std::vector<NamedText>& files, OfFailed of_failed) {
    std::vector<BenchmarkNight> nights;
    std::size_t values = 0;
    for (const auto& file : files) {
        for (auto& report : harness::read_reports(file.text, file.name)) {
            if (of_failed == OfFailed::taken) take_failed(report);
            // Where a program tells both, its own time is what it is there to measure.
            std::erase_if(report.readings, [](const Reading& reading) {
                return reading.metric == Metric::cpu_time_ns;
            });
            nights.push_back({file.name, "", std::move(report)});
            const auto& night = nights.back();
            if (night.report.harness != nights.front().report.harness) {
                refuse(fmt::format(
                    "{} and {} are of different programs: give the files of one",
                    nights.front().file,
                    night.file));
            }
            for (const auto& reading : night.report.readings) values += reading.samples.size() + 1;
            if (values <= max_history_rows) continue;
            refuse(fmt::format("reading {}: more than {} values", night.file, max_history_rows));
        }
    }
    return nights;
}

/// Two reports of one time are the same night twice: most likely one file, given twice.
void check_once(const std::vector<BenchmarkNight>& nights) {
    const auto same = std::ranges::adjacent_find(
        nights, {}, [](const BenchmarkNight& night) { return night.report.time_s; });
    if (same == nights.end()) return;
    refuse(fmt::format(
        "{} and {} are of the same time, {}: the same night twice",
        same->file,
        std::next(same)->file,
        same->name));
}

/// Puts the nights in their order and gives each its name.
void put_in_order(std::vector<BenchmarkNight>& nights, std::vector<std::string>& notes) {
    const auto time_of = [](const BenchmarkNight& night) { return night.report.time_s; };
    const auto has_time = [](const BenchmarkNight& night) {
        return night.report.time_s.has_value();
    };
    const auto undated = std::ranges::find_if_not(nights, has_time);
    if (undated != nights.end()) {
        if (std::ranges::any_of(nights, has_time)) {
            notes.push_back(fmt::format(
                "{} says no date: nights are numbered in the order of the files", undated->file));
        }
        for (std::size_t i = 0; i < nights.size(); ++i) nights[i].name = std::to_string(i + 1);
        return;
    }
    for (auto& night : nights) night.name = time_name(*night.report.time_s);
    if (!std::ranges::is_sorted(nights, {}, time_of)) {
        std::ranges::stable_sort(nights, {}, time_of);
        notes.emplace_back("files were not in the order of their dates: sorted");
    }
    check_once(nights);
}

/// The nights' answers about one series. @return  whether it was measured on every night
bool fill_nights(
    History& history, const SeriesKey& key, const std::vector<BenchmarkNight>& nights) {
    std::optional<double> unit;
    bool whole = true;
    for (const auto& night : nights) {
        double value = std::numeric_limits<double>::quiet_NaN();
        if (const auto found = night.readings.find(key); found != night.readings.end()) {
            const Reading& reading = *found->second;
            unit = unit.value_or(reading.factor);
            std::vector<double> samples = reading.samples;
            for (double& one : samples) one *= reading.factor / *unit;
            if (!samples.empty()) value = stats::median(samples);
            if (samples.size() > 1) history.samples[history.values.size()] = std::move(samples);
            history.direction = reading.direction;
        }
        whole = whole && std::isfinite(value);
        history.nights.push_back(night.name);
        history.values.push_back(value);
        history.environments.push_back(environment_of(night.report));
    }
    return whole;
}

/// "BM_Sort/8", "BM_Sort/8 items_per_second"; a later definition is told.
std::string name_of(const SeriesKey& key, std::map<SeriesKey, std::string>& definitions) {
    const auto& [benchmark, quantity, definition] = key;
    const auto name = quantity.empty() ? benchmark : benchmark + " " + quantity;
    const auto first = definitions.emplace(SeriesKey{benchmark, quantity, ""}, definition).first;
    return first->second == definition ? name : name + " (definition " + definition + ")";
}

void note_counts(
    const std::vector<BenchmarkNight>& nights, std::size_t holed, HistoryFile& history) {
    std::size_t failed = 0;
    std::set<std::string> machines;
    for (const auto& night : nights) {
        failed += night.report.failed;
        if (!night.report.machine.empty()) machines.insert(night.report.machine);
    }
    if (failed > 0) {
        history.notes.push_back(
            text::counted(static_cast<std::int64_t>(failed), "repetition") +
            " ended with an error: left out");
    }
    if (holed > 0) {
        history.notes.push_back(fmt::format(
            "{} of {} benchmarks were not measured on every night", holed, history.series.size()));
    }
    if (machines.size() > 1) {
        history.notes.push_back(fmt::format(
            "the files name {} machines: their nights are held against each other all the same",
            machines.size()));
    }
}

}  // namespace

HistoryFile read_benchmark_files(const std::vector<NamedText>& files, OfFailed of_failed) {
    auto nights = read_nights(files, of_failed);
    HistoryFile history;
    std::vector<SeriesKey> order;
    std::set<SeriesKey> known;
    for (const auto& night : nights) {
        for (const auto& reading : night.report.readings) {
            if (known.insert(key_of(reading)).second) order.push_back(key_of(reading));
        }
    }
    put_in_order(nights, history.notes);
    for (auto& night : nights) {
        for (const auto& reading : night.report.readings) {
            night.readings.emplace(key_of(reading), &reading);
        }
    }
    if (order.size() * nights.size() > max_history_rows) {
        refuse(fmt::format(
            "{} series of {} nights: more than {} values",
            order.size(),
            nights.size(),
            max_history_rows));
    }
    std::map<SeriesKey, std::string> definitions;
    std::size_t holed = 0;
    for (const auto& key : order) {
        History& one = history.series.emplace_back();
        one.name = name_of(key, definitions);
        holed += fill_nights(one, key, nights) ? 0 : 1;
    }
    note_counts(nights, holed, history);
    return history;
}

}  // namespace vigil::cli
