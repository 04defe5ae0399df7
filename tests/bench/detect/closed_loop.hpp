#pragma once

#include <string>
#include <vector>

namespace vigil::bench {

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
