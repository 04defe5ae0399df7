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
#include "service/cli/common/input.hpp"
#include "service/cli/common/option.hpp"

namespace vigil::cli {

namespace {

using harness::Reading;
using harness::Report;

/// Benchmark, quantity, definition: one series.
using SeriesKey = std::tuple<std::string, std::string, std::string>;

constexpr std::size_t most_notes = 40;  // on what was left out

/// A reading with the report that holds it.
struct FoundReading {
    const Reading* reading = nullptr;
    const Report* report = nullptr;
};

struct BenchmarkNight {
    std::string file;
    std::string name;  ///< what the night is called
    Report report;
    std::vector<Report> further = {};  ///< of the same time, with other series
    std::map<SeriesKey, FoundReading> readings = {};
};

struct ReadNights {
    std::vector<BenchmarkNight> nights;
    std::vector<std::string> left_out;  ///< a line each
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

/// The reports of one file.
void read_file(
    const NamedText& file,
    const harness::ReadOptions& options,
    OfFailed of_failed,
    ReadNights& into) {
    for (auto& report : harness::read_reports(file.text, file.name, options)) {
        if (of_failed == OfFailed::taken) take_failed(report);
        // Where a program tells both, its own time is what it is there to measure.
        std::erase_if(report.readings, [](const Reading& reading) {
            return reading.metric == Metric::cpu_time_ns;
        });
        for (const auto& line : report.left_out) into.left_out.push_back(file.name + ": " + line);
        const bool has_value = std::ranges::any_of(
            report.readings, [](const Reading& reading) { return !reading.samples.empty(); });
        if (!has_value) into.left_out.push_back(file.name + ": nothing was measured in this night");
        into.nights.push_back({file.name, "", std::move(report)});
    }
}

ReadNights read_nights(
    const std::vector<NamedText>& files,
    OfFailed of_failed,
    const std::optional<harness::Harness>& format) {
    ReadNights read;
    std::size_t values = 0;
    for (const auto& file : files) {
        const auto begin = read.nights.size();
        try {
            const harness::ReadOptions options{format, base_name(file.name), files.size() > 1};
            read_file(file, options, of_failed, read);
        } catch (const Error& error) {
            if (files.size() == 1) throw;
            read.left_out.emplace_back(error.what());
        }
        for (auto i = begin; i < read.nights.size(); ++i) {
            const auto& night = read.nights[i];
            if (night.report.harness != read.nights.front().report.harness) {
                refuse(fmt::format(
                    "{} and {} are of different programs: give the files of one",
                    read.nights.front().file,
                    night.file));
            }
            for (const auto& reading : night.report.readings) values += reading.samples.size() + 1;
            if (values <= max_history_rows) continue;
            refuse(fmt::format("reading {}: more than {} values", night.file, max_history_rows));
        }
    }
    if (read.nights.empty()) refuse(read.left_out.empty() ? "no file" : read.left_out.front());
    return read;
}

bool share_series(const BenchmarkNight& night, const Report& report) {
    std::set<SeriesKey> known;
    for (const auto& reading : night.report.readings) known.insert(key_of(reading));
    for (const auto& further : night.further) {
        for (const auto& reading : further.readings) known.insert(key_of(reading));
    }
    return std::ranges::any_of(
        report.readings, [&](const Reading& reading) { return known.contains(key_of(reading)); });
}

/// Two reports of one time with other series (of another environment, say) are one night; with the
/// same ones they are the same night twice: most likely one file, given twice.
void join_times(std::vector<BenchmarkNight>& nights) {
    std::vector<BenchmarkNight> joined;
    for (auto& night : nights) {
        if (joined.empty() || joined.back().report.time_s != night.report.time_s) {
            joined.push_back(std::move(night));
            continue;
        }
        auto& first = joined.back();
        if (share_series(first, night.report)) {
            refuse(fmt::format(
                "{} and {} are of the same time, {}: the same night twice",
                first.file,
                night.file,
                night.name));
        }
        first.further.push_back(std::move(night.report));
    }
    nights = std::move(joined);
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
    join_times(nights);
}

/// The nights' answers about one series. @return  whether it was measured on every night
bool fill_nights(
    History& history, const SeriesKey& key, const std::vector<BenchmarkNight>& nights) {
    std::optional<double> unit;
    bool whole = true;
    for (const auto& night : nights) {
        double value = std::numeric_limits<double>::quiet_NaN();
        const Report* report = &night.report;
        if (const auto found = night.readings.find(key); found != night.readings.end()) {
            const Reading& reading = *found->second.reading;
            report = found->second.report;
            unit = unit.value_or(reading.factor);
            std::vector<double> samples = reading.samples;
            for (double& one : samples) one *= reading.factor / *unit;
            if (!samples.empty()) value = stats::median(samples);
            if (samples.size() > 1) history.samples[history.values.size()] = std::move(samples);
            history.direction = reading.direction;
            history.untold = !reading.direction;
            history.benchmark = reading.benchmark;
            history.variant = harness::variant_of(reading);
            history.metric = to_string(reading.metric);
            history.machine = night.report.machine;
        }
        whole = whole && std::isfinite(value);
        history.nights.push_back(night.name);
        history.values.push_back(value);
        history.environments.push_back(environment_of(*report));
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
        const auto count = [&](const Report& report) {
            failed += report.failed;
            if (!report.machine.empty()) machines.insert(report.machine);
        };
        count(night.report);
        for (const auto& further : night.further) count(further);
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

void note_left_out(const std::vector<std::string>& left_out, HistoryFile& history) {
    for (std::size_t i = 0; i < std::min(left_out.size(), most_notes); ++i) {
        history.notes.push_back("left out: " + left_out[i]);
    }
    if (left_out.size() <= most_notes) return;
    history.notes.push_back(fmt::format("left out: {} more", left_out.size() - most_notes));
}

/// The series in the order in which they come first, with each night's readings of them.
std::vector<SeriesKey> index_readings(std::vector<BenchmarkNight>& nights) {
    std::vector<SeriesKey> order;
    std::set<SeriesKey> known;
    for (auto& night : nights) {
        const auto add = [&](const Report& report) {
            for (const auto& reading : report.readings) {
                // Of a failure that does not say its series nothing more is known here.
                if (!reading.family.empty()) continue;
                if (known.insert(key_of(reading)).second) order.push_back(key_of(reading));
                night.readings.emplace(key_of(reading), FoundReading{&reading, &report});
            }
        };
        add(night.report);
        for (const auto& further : night.further) add(further);
    }
    return order;
}

}  // namespace

HistoryFile read_benchmark_files(
    const std::vector<NamedText>& files,
    OfFailed of_failed,
    const std::optional<harness::Harness>& format) {
    auto read = read_nights(files, of_failed, format);
    auto& nights = read.nights;
    HistoryFile history;
    put_in_order(nights, history.notes);
    const auto order = index_readings(nights);
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
    note_left_out(read.left_out, history);
    return history;
}

}  // namespace vigil::cli
