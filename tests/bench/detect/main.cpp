// Figures of the detector: bench_detect [FOLDER], a folder that holds online.jsonl and
// online.labels.jsonl (series with injected steps and their labels).

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bisect/trend/level_watch.hpp"
#include "bisect/trend/segments.hpp"
#include "schema/wire/json.hpp"

namespace {

using namespace vigil;
using nlohmann::json;

double seconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<double> noise(std::size_t count, double deviation, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, deviation);
    std::vector<double> values(count);
    for (double& value : values) value = 100 * std::exp(normal(random));
    return values;
}

void print_speed() {
    constexpr std::size_t million = 1'000'000;
    for (const double deviation : {0.01, 0.1}) {
        const auto values = noise(million, deviation, 1);
        trend::LevelWatch watch(Direction::lower_is_better);
        const double s = seconds_of([&] {
            for (const double value : values) watch.append(value);
        });
        std::printf(
            "append, noise %2.0f %%: %.2f us a night, a million nights\n", 100 * deviation, s);
    }
    constexpr std::size_t series = 1000;
    std::vector<trend::LevelWatch> fleet(series, trend::LevelWatch(Direction::lower_is_better));
    const auto nights = noise(366 * series, 0.03, 2);
    for (std::size_t i = 0; i < 365 * series; ++i) fleet[i % series].append(nights[i]);
    const double night = seconds_of([&] {
        for (std::size_t i = 0; i < series; ++i) fleet[i].append(nights[365 * series + i]);
    });
    std::printf("one night of 100,000 series of 365 nights: %.2f s on one core\n", 100 * night);

    auto values = noise(million, 0.03, 3);
    std::size_t found = 0;
    const double flat = seconds_of([&] { found = trend::find_levels(values).size(); });
    std::printf("whole series, a million values, no change: %.2f s, %zu changes\n", flat, found);
    for (std::size_t i = 0; i < million; ++i) values[i] *= 1 + 0.2 * (i / 500 % 2 == 1 ? 1 : 0);
    const double steps = seconds_of([&] { found = trend::find_levels(values).size(); });
    std::printf("whole series, a million values, 1999 steps: %.2f s, %zu changes\n", steps, found);
}

struct Step {
    std::size_t night = 0;
    bool required = false;
};

struct Labelled {
    std::vector<double> values;
    std::vector<bool> moved;  ///< to another environment
    Direction direction = Direction::lower_is_better;
    std::size_t start = 0;
    std::vector<Step> steps;
};

std::vector<json> read_lines(const std::string& file) {
    std::ifstream in(file);
    std::vector<json> lines;
    std::string line;
    while (std::getline(in, line)) lines.push_back(wire::parse_json(line, file));
    return lines;
}

Labelled read_series(const json& series) {
    Labelled one;
    const bool lower = series.at("direction") == "lower_is_better";
    one.direction = lower ? Direction::lower_is_better : Direction::higher_is_better;
    one.start = series.at("start").get<std::size_t>();
    for (std::size_t i = 0; i < series.at("values").size(); ++i) {
        const json& value = series.at("values").at(i);
        one.values.push_back(value.is_null() ? std::nan("") : value.get<double>());
        one.moved.push_back(
            series.contains("env") && i > 0 &&
            series.at("env").at(i) != series.at("env").at(i - 1));
    }
    return one;
}

std::vector<Labelled> read_labelled(const std::string& folder) {
    std::map<std::string, json> labels;
    for (auto& label : read_lines(folder + "/online.labels.jsonl")) {
        const auto id = label.at("id").get<std::string>();
        labels[id] = std::move(label);
    }
    std::vector<Labelled> all;
    for (const auto& series : read_lines(folder + "/online.jsonl")) {
        Labelled one = read_series(series);
        for (const auto& event : labels.at(series.at("id").get<std::string>()).at("events")) {
            const auto kind = event.at("kind").get<std::string>();
            if (kind != "regression" && kind != "drift" && kind != "sub" && kind != "reverted")
                continue;
            const bool required = kind == "regression" && event.at("expect") == "detect";
            one.steps.push_back({event.at("night").get<std::size_t>(), required});
        }
        all.push_back(std::move(one));
    }
    return all;
}

struct Tally {
    double nights = 0, suspected = 0, mistaken = 0, required = 0;
    std::array<double, 3> caught{};  ///< with a delay of at most 1, 3, 7 nights
};

constexpr std::size_t week = 7;

/// Plays a series: a suspicion within a week of a step is measured again and confirmed, once for
/// each step; every other one is refuted, and the watch is told so.
void play(const Labelled& s, double bar, Tally& tally) {
    trend::LevelWatch watch(s.direction);
    std::vector<bool> confirmed(s.steps.size());
    for (const Step& step : s.steps) tally.required += step.required ? 1 : 0;
    for (std::size_t t = 0; t < s.values.size(); ++t) {
        if (s.moved[t]) watch.start_level();
        const double suspicion = watch.append(s.values[t]).suspicion;
        if (t < s.start) continue;
        ++tally.nights;
        if (suspicion < bar) continue;
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
        watch.refute_last_night();
    }
}

void print_row(const std::vector<Labelled>& all, std::size_t first, std::size_t every, double bar) {
    Tally tally;
    for (std::size_t i = first; i < all.size(); i += every) play(all[i], bar, tally);
    std::printf("  %4.1f ", bar);
    for (const double caught : tally.caught) std::printf(" %.3f", caught / tally.required);
    std::printf(
        "  %6.1f  %6.1f\n",
        1000 * tally.suspected / tally.nights,
        1000 * tally.mistaken / tally.nights);
}

void print_suspicions(const std::string& folder) {
    const auto all = read_labelled(folder);
    const std::array<const char*, 3> names{"all", "even", "odd"};
    for (std::size_t half = 0; half < names.size(); ++half) {
        std::printf(
            "%s: T >=, recall at delay 1, 3, 7, suspicions per 1000 nights: all, mistaken\n",
            names[half]);
        for (const double bar : {2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 8.0}) {
            print_row(all, half == 0 ? 0 : half - 1, half == 0 ? 1 : 2, bar);
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    print_speed();
    if (count > 1) print_suspicions(arguments[1]);
}
