#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/bench/nights/score.hpp"

namespace vigil::nights {

/// A record with what is asked of it often.
class Reading {
  public:
    Reading(const World& world, const Record& record);

    /// Whether a commit lies between the two builds of an issue.
    bool holds(const Issue& issue, int commit) const;
    /// Whether the series changed in the last nights.
    bool is_near(int series, int night) const;
    std::string when(int series, int night) const;
    /// Whether the source of a series got worse between the two builds.
    bool is_guilty(const Issue& issue, int series) const;
    /// Night of the first report that told of a series in an issue.
    std::optional<int> seen(const Issue& issue, int series) const;
    std::optional<int> night_of(std::int64_t nightly) const;
    /// Those that were filed, newest first.
    const std::vector<const Issue*>& issues_of(int series) const;
    /// Oldest night first.
    const std::vector<const Suspected*>& said_of(int series) const;
    const SimulatedSeries& series(int number) const {
        return world.series()[static_cast<std::size_t>(number)];
    }

    Fate fate_of(const Plant& plant) const;
    Back back_of(const Plant& plant) const;

    const World& world;
    const Record& record;

  private:
    void name(const Plant& plant, const std::vector<const Issue*>& found, Fate& fate) const;
    std::string kind_of(const Plant& plant, const std::vector<const Issue*>& found) const;

    int class_move_ = never;
    std::map<std::pair<std::int64_t, int>, int> seen_;
    std::vector<std::vector<const Issue*>> issues_;
    std::vector<std::vector<const Suspected*>> said_;
    std::vector<std::set<int>> changed_;  ///< nights, by series
};

}  // namespace vigil::nights
