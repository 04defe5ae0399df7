// Figures of the detector: bench_detect [FOLDER [figures]], a folder that holds online.jsonl and
// online.labels.jsonl (series with injected steps and their labels). A second argument leaves the
// speed out. Or bench_detect closed-loop [WORD [SERIES CLEAN EVEN [NOISE...]]]: simulated series
// against the closed loop. Or bench_detect rules SERIES [WORD [PREFIX | NAME=VALUE...]]: each rule
// at half and double, or those that are set, over so many series of each noise.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bisect/detect/bar.hpp"
#include "bisect/detect/series_loop.hpp"
#include "bisect/trend/level_watch.hpp"
#include "bisect/trend/segments.hpp"
#include "tests/bench/detect/closed_loop.hpp"
#include "tests/bench/detect/labelled.hpp"
#include "tests/bench/detect/night_budget.hpp"
#include "tests/bench/detect/sensitivity.hpp"
#include "tests/bench/detect/suspector.hpp"

namespace {

using namespace vigil;
using bench::Labelled;
using bench::Step;
using bench::Suspector;

/// Seconds of a clock on the wall, and of processors: on a busy machine only these say something.
struct Seconds {
    double wall = 0;
    double processor = 0;
};

Seconds seconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t used = std::clock();
    work();
    return {
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
        static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC};
}

std::vector<double> noise(std::size_t count, double deviation, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, deviation);
    std::vector<double> values(count);
    for (double& value : values) value = 100 * std::exp(normal(random));
    return values;
}

constexpr std::size_t fleet_size = 100'000;
constexpr std::size_t different = 1000;  // series of the fleet; the others repeat them
constexpr std::size_t nights_before = 365;

constexpr std::size_t runs_a_night = 3;

/// A night of one series: its values and the record before.
void take(detect::SeriesRecord& record, std::size_t night, std::span<const double> runs) {
    const auto id = static_cast<std::int64_t>(night);
    const auto word = detect::take_night(record, {}, {.id = id, .runs = runs});
    if (word.asks) detect::decline(record);
}

/// One night of a fleet from its stored records: read, judge, write.
void judge_part(
    std::vector<std::vector<std::byte>>& records,
    const std::vector<double>& tonight,
    std::size_t from,
    std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
        auto record = *detect::read_record(records[i]);
        const std::span runs(tonight);
        take(record, nights_before, runs.subspan(i * runs_a_night, runs_a_night));
        records[i] = detect::write_record(record);
    }
}

Seconds judge_fleet(
    std::vector<std::vector<std::byte>> records, const std::vector<double>& tonight) {
    return seconds_of([&] {
        const std::size_t half = records.size() / 2;
        std::thread other([&] { judge_part(records, tonight, half, records.size()); });
        judge_part(records, tonight, 0, half);
        other.join();
    });
}

void print_fleet() {
    for (const double deviation : {0.01, 0.03, 0.1}) {
        const auto values = noise(nights_before * different * runs_a_night, deviation, 2);
        std::vector<std::vector<std::byte>> records;
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < different; ++i) {
            detect::SeriesRecord record(Direction::lower_is_better);
            for (std::size_t t = 0; t < nights_before; ++t) {
                const std::size_t at = (t * different + i) * runs_a_night;
                take(record, t, std::span(values).subspan(at, runs_a_night));
            }
            records.push_back(detect::write_record(record));
            bytes += records.back().size();
        }
        while (records.size() < fleet_size) records.push_back(records[records.size() - different]);
        const Seconds s =
            judge_fleet(std::move(records), noise(fleet_size * runs_a_night, deviation, 4));
        std::printf(
            "one night of 100,000 series of 365 nights, noise %2.0f %%, records of %zu bytes read "
            "and written, two threads: %.2f s of processor on each (wall %.2f)\n",
            100 * deviation,
            bytes / different,
            s.processor / 2,
            s.wall);
    }
}

void print_whole(const char* what, const Seconds& s, std::size_t found) {
    std::printf(
        "whole series, a million values, %s: %.2f s of processor (wall %.2f), %zu changes\n",
        what,
        s.processor,
        s.wall,
        found);
}

void print_speed() {
    constexpr std::size_t million = 1'000'000;
    for (const double deviation : {0.01, 0.1}) {
        const auto values = noise(million, deviation, 1);
        trend::LevelWatch watch(Direction::lower_is_better);
        const Seconds s = seconds_of([&] {
            for (const double value : values) watch.append(value);
        });
        std::printf(
            "append, noise %2.0f %%: %.2f us of processor a night (wall %.2f), a million nights\n",
            100 * deviation,
            s.processor,
            s.wall);
    }
    print_fleet();

    auto values = noise(million, 0.03, 3);
    std::size_t found = 0;
    const Seconds flat = seconds_of([&] { found = trend::find_levels(values).size(); });
    print_whole("no change", flat, found);
    for (std::size_t i = 0; i < million; ++i) values[i] *= 1 + 0.2 * (i / 500 % 2 == 1 ? 1 : 0);
    const Seconds steps = seconds_of([&] { found = trend::find_levels(values).size(); });
    print_whole("1999 steps", steps, found);
}

struct Tally {
    double nights = 0, suspected = 0, mistaken = 0, required = 0;
    std::array<double, 3> caught{};  ///< with a delay of at most 1, 3, 7 nights
};

constexpr std::size_t week = 7;

/// What opens a session, in a row of the table.
struct Row {
    detect::BarRules rules;
    std::string name;
};

/// Plays a series: a suspicion within a week of a step is measured again and confirmed, once for
/// each step; every other one is refuted, and the watch is told so.
void play(const Labelled& s, const detect::BarRules& rules, Tally& tally) {
    Suspector suspector(s.direction, rules);
    std::vector<bool> confirmed(s.steps.size());
    for (const Step& step : s.steps) tally.required += step.required ? 1 : 0;
    for (std::size_t t = 0; t < s.values.size(); ++t) {
        if (s.moved[t]) suspector.start_level();
        const bool suspected = suspector.suspects(s.values[t]);
        if (t < s.start) continue;
        ++tally.nights;
        if (!suspected) continue;
        bool is_true = false;
        bool is_news = false;
        for (std::size_t i = 0; i < s.steps.size(); ++i) {
            if (t < s.steps[i].night || t > s.steps[i].night + week) continue;
            is_true = true;
            if (confirmed[i]) continue;
            is_news = true;
            confirmed[i] = true;
            if (!s.steps[i].required) continue;
            const std::size_t delay = t - s.steps[i].night;
            tally.caught[0] += delay <= 1 ? 1 : 0;
            tally.caught[1] += delay <= 3 ? 1 : 0;
            ++tally.caught[2];
        }
        if (is_true && !is_news) continue;
        ++tally.suspected;
        if (is_true) continue;
        ++tally.mistaken;
        suspector.refute();
    }
}

void print_row(
    const std::vector<Labelled>& all, std::size_t first, std::size_t every, const Row& row) {
    Tally tally;
    for (std::size_t i = first; i < all.size(); i += every) play(all[i], row.rules, tally);
    std::printf("  %-28s", row.name.c_str());
    for (const double caught : tally.caught) std::printf(" %.3f", caught / tally.required);
    std::printf(
        "  %6.1f  %6.1f\n",
        1000 * tally.suspected / tally.nights,
        1000 * tally.mistaken / tally.nights);
}

std::vector<Row> list_rows() {
    using detect::OpenedBy;
    std::vector<Row> rows;
    const auto add = [&](OpenedBy by, double bar, double lowest, double factor) {
        Row row;
        row.rules.opened_by = by;
        row.rules.shape_bar = bar;
        row.rules.lowest_bar = lowest;
        row.rules.night_spreads = factor;
        char text[80];
        std::snprintf(text, sizeof text, "%s", std::string(to_string(by)).c_str());
        row.name = text;
        if (by != OpenedBy::shape) {
            std::snprintf(text, sizeof text, " %.2f tau, %.1f spreads", lowest, factor);
            row.name += text;
        }
        if (by != OpenedBy::level) {
            std::snprintf(text, sizeof text, " T >= %.1f", bar);
            row.name += text;
        }
        rows.push_back(std::move(row));
    };
    for (const double bar : {3.0, 4.0, 4.5, 5.0, 6.0, 8.0}) add(OpenedBy::shape, bar, 0.56, 1.1);
    add(OpenedBy::level, 0, 0.56, 1.1);
    add(OpenedBy::level, 0, 1, 3);
    add(OpenedBy::either, 4.5, 0.56, 1.1);
    for (const double bar : {2.0, 3.0, 4.0, 4.5}) add(OpenedBy::both, bar, 0.56, 1.1);
    return rows;
}

void print_suspicions(const std::vector<Labelled>& all) {
    const std::array<const char*, 3> names{"all", "even", "odd"};
    const auto rows = list_rows();
    for (std::size_t half = 0; half < names.size(); ++half) {
        std::printf(
            "%s: what opens a session, recall at delay 1, 3, 7, suspicions per 1000 nights: all, "
            "mistaken\n",
            names[half]);
        for (const auto& row : rows) {
            print_row(all, half == 0 ? 0 : half - 1, half == 0 ? 1 : 2, row);
        }
    }
}

}  // namespace

int run_rules(const std::vector<std::string>& arguments) {
    vigil::bench::SensitivityOptions options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto& text = arguments[i];
        if (i == 0) {
            options.series = std::stoi(text);
        } else if (i == 1) {
            options.word = text;
        } else if (text.find('=') != std::string::npos) {
            options.set = text;
        } else {
            options.prefix = text;
        }
    }
    vigil::bench::print_sensitivity(options);
    return 0;
}

int run_closed_loop(const std::vector<std::string>& arguments) {
    vigil::bench::LoopOptions options;
    if (!arguments.empty()) options.word = arguments[0];
    if (arguments.size() >= 4) {
        options.series = std::stoi(arguments[1]);
        options.clean_series = std::stoi(arguments[2]);
        options.even_series = std::stoi(arguments[3]);
        options.noises.assign(arguments.begin() + 4, arguments.end());
    }
    vigil::bench::print_closed_loop(options);
    return 0;
}

int main(int count, char** arguments) {
    if (count > 1 && std::string(arguments[1]) == "closed-loop") {
        return run_closed_loop({arguments + 2, arguments + count});
    }
    if (count > 2 && std::string(arguments[1]) == "rules") {
        return run_rules({arguments + 2, arguments + count});
    }
    if (count < 3) print_speed();
    if (count < 2) return 0;
    const auto all = bench::read_labelled(arguments[1]);
    if (count < 4) print_suspicions(all);
    bench::print_night_budgets(all);
}
