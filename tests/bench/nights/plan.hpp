#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/bench/nights/world.hpp"

// What is planted where.

namespace vigil::nights {

Commits draw_commits(const Options& options, std::uint64_t seed);

/// Plants changes into a world whose series were made: none every third night; now and then one
/// culprit of many series, or two culprits of one series in a night.
class Planner {
  public:
    explicit Planner(World& world);
    std::vector<Plant> plan();

  private:
    std::vector<int> free_series(int night, bool times_only) const;
    std::vector<int> free_commits(int night) const;
    void break_builds();
    void plan_night(int night);
    void plant_broad(int night);
    void plant_twice(int night);
    void plant_some(int night);
    void change(
        int series,
        int night,
        double percent,
        const std::string& kind,
        std::optional<int> at = std::nullopt,
        std::optional<int> revert = std::nullopt);
    int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    int poisson(double mean);

    World& world_;
    bench::Random random_;
    std::set<int> taken_;
    std::vector<Plant> plants_;
};

}  // namespace vigil::nights
