#include "tests/bench/nights/hours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/nights/fleet.hpp"

namespace vigil::nights {

using namespace vigil::service;

namespace {

constexpr int commits_a_night = 70;
constexpr int first_change = 20;  // night
constexpr int nights_a_change = 2;
constexpr double percent = 10;
constexpr double hour_s = 3600;
constexpr double unseen = std::numeric_limits<double>::infinity();

/// One change that was planted, and how long it took.
struct Way {
    bool is_named = false;   ///< its commit, exactly
    double flagged_h = 0;    ///< after its night began; unseen: it was not
    double confirmed_h = 0;  ///< after it was flagged
    double named_h = 0;      ///< after it was flagged
};

World make_world(const std::string& word, const std::string& noise, int workers, int changes) {
    Options options;
    options.seed = word;
    options.noises = {noise};
    options.benchmarks = 25;
    options.classes = 1;
    options.workers = workers;
    options.nights = first_change + nights_a_change * changes + 3;
    options.warm = options.nights;
    options.fewest_commits = options.most_commits = commits_a_night;
    options.rate = 0;
    options.moves = false;
    options.merges = 0;
    const World drawn(options);
    std::vector<Plant> plants;
    std::vector<std::vector<Event>> events(drawn.series().size());
    auto random = keyed(seed_of(word), {stream_plan});
    std::size_t next = 0;
    for (int i = 0; i < changes; ++i) {
        while (!drawn.series()[next].is_time) ++next;
        const int night = first_change + nights_a_change * i;
        const auto& all = drawn.commits().of_night(night);
        int commit = 0;
        do {
            commit = all[random() % all.size()];
        } while (drawn.commits().is_broken(commit) || drawn.commits().is_broken(commit - 1));
        Plant plant;
        plant.series = static_cast<int>(next);
        plant.kind = "10";
        plant.percent = percent;
        plant.night = night;
        plant.commit = commit;
        plants.push_back(plant);
        events[next++].push_back({commit, std::log1p(percent / 100)});
    }
    return {options, drawn.commits(), std::move(plants), std::move(events)};
}

Way way_of(Database& db, const World& world, const Plant& plant) {
    const auto& series = world.series()[static_cast<std::size_t>(plant.series)];
    const auto begins_s = night_begins_s(plant.night);
    Way way{false, unseen, unseen, unseen};
    const auto flagged_s = db.find<std::int64_t>(
        "SELECT MIN(u.created_at_s) FROM suspicion u JOIN series s ON s.id = u.series_id "
        "WHERE s.benchmark = ?1 AND s.metric = ?2 AND u.asked = 'worse' AND u.created_at_s >= ?3",
        series.benchmark,
        series.metric,
        begins_s);
    if (!flagged_s) return way;
    way.flagged_h = static_cast<double>(*flagged_s - begins_s) / hour_s;
    const auto after = [&](const char* what) {
        const auto at_s = db.find<std::int64_t>(
            std::string("SELECT MIN(") + what +
                ") FROM regression r JOIN regression_series rs ON rs.regression_id = r.id "
                "JOIN series s ON s.id = rs.series_id JOIN suspicion u ON u.id = rs.suspicion_id "
                "JOIN event e ON e.subject = 'bisection/' || r.bisection_id AND e.kind IN "
                "('bisection.verified', 'bisection.done') "
                "WHERE s.benchmark = ?1 AND s.metric = ?2 AND r.culprit = ?3",
            series.benchmark,
            series.metric,
            world.commits().revision(*plant.commit));
        return at_s ? static_cast<double>(*at_s - *flagged_s) / hour_s : unseen;
    };
    way.confirmed_h = after("u.ended_at_s");
    way.named_h = after("e.at_s");
    way.is_named = way.named_h < unseen;
    return way;
}

/// Of those that were flagged; what unseen came is longest.
std::string hours(const std::vector<Way>& ways, double Way::*part, double share) {
    std::vector<double> all;
    for (const auto& way : ways) all.push_back(way.*part);
    std::sort(all.begin(), all.end());
    const auto place = static_cast<std::size_t>(share * static_cast<double>(all.size()));
    const double at = all.at(std::min(place, all.size() - 1));
    return at < unseen ? fmt::format("{:.2f}", at) : "-";
}

std::string row(const World& world, const std::string& noise, int workers) {
    std::vector<Way> ways;
    Playing playing;
    playing.is_timed = true;
    playing.build_s = 600;
    playing.run_s = 30;
    playing.after_night = [&](Database& db, const SoFar& so_far) {
        if (so_far.night + 1 < world.options().nights) return;
        for (const auto& plant : world.plants()) ways.push_back(way_of(db, world, plant));
    };
    const auto record = play(world, playing);
    int builds = 0;
    for (const auto& [key, count] : record.built) {
        if (key.second != "nightly") builds += count;
    }
    const auto planted = ways.size();
    std::erase_if(ways, [](const Way& way) { return way.flagged_h == unseen; });
    const auto named =
        std::count_if(ways.begin(), ways.end(), [](auto& way) { return way.is_named; });
    return fmt::format(
               "| {} | {} | {} of {} | {} | {}, {} | {}, {} | {}, {} | {:.1f} |\n",
               noise,
               workers,
               ways.size(),
               planted,
               named,
               hours(ways, &Way::flagged_h, .5),
               hours(ways, &Way::flagged_h, .9),
               hours(ways, &Way::confirmed_h, .5),
               hours(ways, &Way::confirmed_h, .9),
               hours(ways, &Way::named_h, .5),
               hours(ways, &Way::named_h, .9),
               static_cast<double>(builds) / static_cast<double>(planted)) +
           (record.stuck.empty() ? "" : record.stuck.front() + "\n");
}

}  // namespace

std::string hours_table(const std::string& word, int changes) {
    std::string text =
        "| Noise | Workers | Flagged | Named | Flagged after, h | Confirmed after | Named after | "
        "Builds |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const auto* noise : {"G2", "G5"}) {
        for (const int workers : {1, 4, 16}) {
            text += row(make_world(word, noise, workers, changes), noise, workers);
        }
    }
    return text;
}

}  // namespace vigil::nights
