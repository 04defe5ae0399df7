#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/nights/record.hpp"
#include "tests/bench/nights/world.hpp"

// A record against the truth.

namespace vigil::nights {

constexpr int never = 1'000'000'000;

/// What became of one planted change for the worse.
struct Fate {
    Plant plant;
    std::string series;
    std::string noise;
    std::string kind;  ///< the plant's; "sum": filed with others, "short": after a class's move
    std::vector<std::int64_t> issues;
    std::string named = "-";  ///< exact, merge, range or wrong
    int size = 0;             ///< of the range
    int filed = never;        ///< 1: on its night
    int age = 0;              ///< nights between the two builds of its issue
    bool lost = false;        ///< an issue that held it holds its series no longer
    std::string first;        ///< verdict on its night
    bool behind = false;      ///< asked with an old build that had it already
    int causes = 0;           ///< planted that night
    bool told = false;        ///< of two culprits of one series: the other one, in words
};

/// An issue, or one series of it, whose source did not get worse.
struct False {
    std::string when;  ///< young, move, disturb, near or clean
    std::string noise;
    int night = 0;
    std::int64_t issue = 0;
    std::string series;
};

/// Of a change that was filed and taken back.
struct Back {
    double percent = 0;
    int recovered = never;  ///< 1: on the night it was taken back
    bool closed = false;
    std::string said;
};

/// Counts by name, in the order in which the names came.
class Tally {
  public:
    void add(const std::string& name, double count = 1);
    void add(const Tally& other);
    double operator[](const std::string& name) const;
    double sum() const;
    /// "this 2, that 1"; "none" when empty
    std::string text() const;

  private:
    std::vector<std::pair<std::string, double>> counts_;
};

/// In which direction what was said points.
struct Directions {
    int worse = 0;
    int better = 0;

    void add(double change) { ++(change > 0 ? worse : better); }
    void add(const Directions& other) {
        worse += other.worse;
        better += other.better;
    }
    int all() const { return worse + better; }
};

/// Of series that nothing was planted in, in nights in which no machine moves: a change is noise,
/// and noise has no direction.
struct NoiseOnly {
    double series_nights = 0;
    Directions suspicions;  ///< every question of the loop, by the night against its level
    Directions measured;    ///< of these, by what their sessions measured
    Directions drifts;      ///< what was listed

    void add(const NoiseOnly& other);
};

/// What is to be counted; records add up.
struct Score {
    std::vector<Fate> fates;
    std::vector<False> false_issues;
    std::vector<False> innocent;  ///< series in issues about something
    std::vector<Back> back;
    std::vector<int> better;      ///< nights until an improvement was said, 1: on its night
    std::vector<bool> disturbed;  ///< filed
    int causes = 0;               ///< that were filed
    int doubles = 0;              ///< series filed twice for one change
    int split = 0;                ///< causes filed by more than one issue
    int same_culprit = 0;         ///< culprits named by more than one issue
    Tally clean;                  ///< clean series-nights by noise
    Tally opened;                 ///< suspicions on these
    Tally runs;                   ///< their runs
    Tally verdicts;
    NoiseOnly noise_only;
    Tally storms;
    Tally searches;
    double search_jobs = 0, search_runs = 0, search_built = 0;
    std::vector<std::string> released, stuck, failed;

    void add(const Score& other);
};

Score judge(const World& world, const Record& record);

}  // namespace vigil::nights
