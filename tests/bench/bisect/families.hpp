#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/bench/bisect/world.hpp"

namespace vigil::bench {

/// Days of one kind: each seed is another day of it.
struct Family {
    std::string name;
    std::string about;
    std::function<void(World&)> furnish;  ///< fills a world that has only its name and seed

    World day(std::uint64_t seed) const;
};

/// One series a day, one condition a family.
std::vector<Family> single_families();

/// One series a day, everything at random: size, noise, changes, drift, builds, workers, costs.
Family random_family();
/// +7 % among 70 commits, with nothing else to trouble it.
/// @param spread  of a run, log
Family plain_family(double spread);
/// Noise, effect and what builds differ by drawn continuously, and nothing else at random: what a
/// rule with a bar does just below and above it.
Family smooth_family();

/// 2 to 50 series a day, with shared and separate culprits.
std::vector<Family> many_families();

/// Days on which a machine deceives, or none does, measured by one machine.
std::vector<Family> deceived_families();

/// One series a day that several commits of a night move.
std::vector<Family> several_families();

/// The same day with one series that has every culprit of the many.
World one_series_of(const World& many);

}  // namespace vigil::bench
