#include "tests/bench/nights/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace vigil::nights {

namespace {

struct Kind {
    const char* name;
    double odds;
};
constexpr std::array kinds{
    Kind{"5", .12},
    Kind{"7.5", .20},
    Kind{"10", .40},
    Kind{"15", .08},
    Kind{"30", .05},
    Kind{"-10", .09},
    Kind{"disturb", .06}};

std::string draw_kind(bench::Random& random) {
    double left = random.uniform();
    for (const auto& kind : kinds) {
        if (left < kind.odds) return kind.name;
        left -= kind.odds;
    }
    return kinds.back().name;
}

}  // namespace

Commits draw_commits(const Options& options, std::uint64_t seed) {
    auto random = keyed(seed, {stream_commits});
    const auto between = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    std::vector<Place> places;
    int pos = 0;
    for (int night = 0; night < options.nights; ++night) {
        const int count = between(options.fewest_commits, options.most_commits);
        for (int i = 0; i < count; ++i, ++pos) {
            const bool merges = pos > 2 && random.uniform() < options.merges;
            const int brought = merges ? between(2, 3) : 0;
            for (int k = 0; k < brought; ++k) places.push_back({pos, pos - 2, k, night});
            places.push_back({pos, -1, -1, night});
        }
    }
    return {std::move(places), {}, options.nights};
}

Planner::Planner(World& world) : world_(world), random_(keyed(world.seed_, {stream_plan})) {
    for (int n = 0; n < world_.options_.nights; ++n) taken_.insert(world_.commits_.tip(n));
}

int Planner::poisson(double mean) {
    int count = -1;
    for (double product = 1; product > std::exp(-mean); ++count) product *= random_.uniform();
    return count;
}

std::vector<int> Planner::free_series(int night, bool times_only) const {
    std::vector<int> free;
    for (std::size_t i = 0; i < world_.series_.size(); ++i) {
        const auto& one = world_.series_[i];
        const bool rested = night - one.last_change >= world_.options_.gap;
        if (rested && (one.is_time || !times_only)) free.push_back(static_cast<int>(i));
    }
    return free;
}

std::vector<int> Planner::free_commits(int night) const {
    std::vector<int> free;
    for (const int commit : world_.commits_.of_night(night)) {
        if (taken_.contains(commit)) continue;
        if (commit == 0 || !world_.commits_.is_broken(commit - 1)) free.push_back(commit);
    }
    return free;
}

// Never a night's tip: a night that does not build is another test.
void Planner::break_builds() {
    const auto ends = world_.commits_.ends_of_branches();
    for (int n = 1; n < world_.options_.nights; ++n) {
        for (const int commit : world_.commits_.of_night(n)) {
            if (taken_.contains(commit) || ends.contains(commit)) continue;
            if (random_.uniform() >= world_.options_.broken) continue;
            world_.commits_.break_build(commit);
            taken_.insert(commit);
        }
    }
}

void Planner::change(
    int series,
    int night,
    double percent,
    const std::string& kind,
    std::optional<int> at,
    std::optional<int> revert) {
    if (!at) {
        const auto free = free_commits(night);
        if (free.empty()) return;
        at = free[static_cast<std::size_t>(below(static_cast<int>(free.size())))];
    }
    taken_.insert(*at);
    auto& one = world_.series_[static_cast<std::size_t>(series)];
    one.events.push_back({*at, std::log1p(percent / 100)});
    one.last_change = night;
    Plant plant{series, kind, percent, night, at, world_.commits_.at(*at).on_branch(), revert, {}};
    if (revert) {
        const auto& commits = world_.commits_.of_night(*revert);
        plant.back = commits[static_cast<std::size_t>(below(static_cast<int>(commits.size())))];
        one.events.push_back({*plant.back, -std::log1p(percent / 100)});
        one.last_change = *revert;
    }
    plants_.push_back(plant);
}

void Planner::plant_broad(int night) {
    auto some = free_series(night, false);
    const int count = std::min(between(5, 20), static_cast<int>(some.size()) / 8);
    const auto commits = free_commits(night);
    if (commits.empty()) return;
    const int at = commits[static_cast<std::size_t>(below(static_cast<int>(commits.size())))];
    for (int k = 0; k < count; ++k) {
        const auto drawn = static_cast<std::size_t>(between(k, static_cast<int>(some.size()) - 1));
        std::swap(some[static_cast<std::size_t>(k)], some[drawn]);
        change(some[static_cast<std::size_t>(k)], night, below(2) == 0 ? 10 : 15, "broad", at);
    }
}

void Planner::plant_twice(int night) {
    const auto some = free_series(night, true);
    if (some.empty()) return;
    const int one = some[static_cast<std::size_t>(below(static_cast<int>(some.size())))];
    change(one, night, 15, "twice");
    change(one, night, 15, "twice");
}

void Planner::plant_some(int night) {
    const int count = poisson(1.5 * world_.options_.rate);
    for (int k = 0; k < count; ++k) {
        const auto some = free_series(night, false);
        if (some.empty()) return;
        const int one = some[static_cast<std::size_t>(below(static_cast<int>(some.size())))];
        const auto kind = draw_kind(random_);
        if (kind == "disturb") {
            auto& series = world_.series_[static_cast<std::size_t>(one)];
            series.disturbed.insert(night);
            series.last_change = night;
            plants_.push_back({one, kind, 0, night, {}, false, {}, {}});
            continue;
        }
        const int back = night + between(5, 8);
        const bool reverted =
            random_.uniform() < .3 && back < world_.options_.nights - 3 && kind != "-10";
        const auto when = reverted ? std::optional(back) : std::nullopt;
        change(one, night, std::strtod(kind.c_str(), nullptr), kind, std::nullopt, when);
    }
}

void Planner::plan_night(int night) {
    const bool any = world_.options_.rate > 0;
    if (night % 12 == 5 && any) return plant_broad(night);
    if (night % 12 == 9 && any) plant_twice(night);
    if (night % 3 != 0) plant_some(night);  // every third night is clean
}

std::vector<Plant> Planner::plan() {
    break_builds();
    for (int n = world_.options_.warm; n < world_.options_.nights - 2; ++n) {
        if (!world_.move_nights_.contains(n)) plan_night(n);
    }
    for (auto& series : world_.series_) {
        std::sort(series.events.begin(), series.events.end(), [](const Event& a, const Event& b) {
            return a.commit < b.commit;
        });
    }
    return std::move(plants_);
}

}  // namespace vigil::nights
