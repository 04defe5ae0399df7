#pragma once

#include <string>
#include <vector>

namespace vigil::nights {

/// The world of one word. Noises go by the names of noise_named().
struct Options {
    std::string seed = "dev";
    std::vector<std::string> noises = {"G1", "G3", "N3", "LN5", "SP2", "BI6", "AR3"};
    std::vector<std::string> memory = {"MEMd", "MEMq"};
    int benchmarks = 32;  ///< of each class; each has four times and two kinds of memory
    int classes = 2;
    int workers = 2;  ///< of each class
    int nights = 130;
    int warm = 28;    ///< nights before the first planted change
    double rate = 4;  ///< planted changes a night, about
    int gap = 28;     ///< nights that a series rests between two changes
    int fewest_commits = 15;
    int most_commits = 40;   ///< of the line, a night
    bool moves = true;       ///< a worker and a class of workers become slower
    double broken = .02;     ///< of the commits do not build
    double merges = .08;     ///< of the line's commits bring a branch
    int raw_nights = 0;      ///< of a year: so many keep their runs; 0: all do
    int answered_after = 0;  ///< of a year: nights until an open regression is accepted; 0: never
};

/// A smaller world, of 72 series.
inline Options quick_options() {
    Options quick;
    quick.benchmarks = 12;
    quick.classes = 1;
    quick.nights = 120;
    quick.warm = 14;
    quick.rate = 1;
    quick.gap = 14;
    return quick;
}

}  // namespace vigil::nights
