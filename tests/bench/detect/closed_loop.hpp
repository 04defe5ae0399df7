#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/detect/world.hpp"

namespace vigil::bench {

/// A verdict of a session, held against the truth.
struct Told {
    bool filed = false;
    bool above = false;   ///< truly
    bool inside = false;  ///< the interval holds the truth
    double p_above = 0;
};

struct Played {
    int nights = 0;
    int runs = 0;
    int runs_from_step = 0;
    std::optional<int> filed;  ///< nights since the step's, which is 1
    bool right = false;        ///< the builds filed enclose the step
    std::vector<Told> told;
};

/// Plays a series against the whole closed loop, until it is filed or its nights are over.
Played play_series(World& world, const Change& change);

/// Of a world's name.
std::uint64_t seed_of(const std::string& text);

struct LoopOptions {
    std::string word = "maple";       ///< names the worlds: another word, other series
    int series = 200;                 ///< of each noise and kind of change
    int clean_series = 300;           ///< of 60 nights each
    int even_series = 1000;           ///< of each noise, sizes drawn evenly from 0 to 15 %
    std::vector<std::string> noises;  ///< empty: all
};

/// Plays simulated series against the whole closed loop (SeriesWatch with the shape's score, as
/// `vigil confirm --stdio` does) and prints what docs/confirmation.md section 5 tells: false
/// issues, power, runs, and whether stated probabilities and intervals hold.
/// @throws Error{invalid_argument} where a noise is unknown
void print_closed_loop(const LoopOptions& options);

}  // namespace vigil::bench
