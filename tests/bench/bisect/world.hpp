#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "schema/model/metric.hpp"

// A made-up day of commits: the truth about its series, and what a run of a commit would measure.

namespace vigil::bench {

/// What one run differs by from the level of its commit; log.
struct Noise {
    enum class Shape {
        gauss,
        student,   ///< 3 degrees of freedom, scaled by `spread`
        outliers,  ///< a `share` of the runs is slower, by 0.5 to 1.5 times `size`
        two_modes  ///< a `share` of the runs is slower by `size`
    };
    Shape shape = Shape::gauss;
    double spread = 0.02;
    double share = 0;
    double size = 0;
};

/// What moves all runs of a time alike; log. The time of a run is 1.
struct Drift {
    enum class Kind {
        none,
        slope,   ///< `size` in every 150
        wander,  ///< stationary, standard deviation `size`, correlated over about `time`
        jump     ///< by `size`, once within the first `time`
    };
    Kind kind = Kind::none;
    double size = 0;
    double time = 150;
};

/// A machine that others use: what share of its time a run has a processor. Its wall time is longer
/// by as much.
struct Interference {
    double least = 1;
    double most = 1;
    double time = 0;       ///< shares go together over about this; 0: each run has one of its own
    bool regimes = false;  ///< either of the two and nothing between
};

/// How one machine deceives, in every session alike; log.
struct Deceit {
    double share = 0;   ///< of the builds that are slower on a machine, which has its own
    double size = 0;    ///< by so much
    bool step = false;  ///< instead, all of the first machine from some commit on
};

struct Change {
    int commit = 0;     ///< the first that has it
    double effect = 0;  ///< log, above 0 is worse
};

struct SeriesTruth {
    MetricKind kind = MetricKind::time;
    Direction direction = Direction::lower_is_better;
    int group = 0;
    std::vector<Change> changes = {};
    Noise noise = {};
    double jitter = 0;   ///< spread between builds
    double quantum = 0;  ///< values are multiples of this; 0: any
};

/// Commits 0..suspects; 0 is good, a change at c moves every commit from c on.
struct World {
    std::string family = {};
    std::uint64_t seed = 0;
    int suspects = 70;
    std::vector<SeriesTruth> series = {};
    Drift drift = {};
    Interference interference = {};
    double machine_spread = 0;  ///< between workers
    Deceit deceit = {};
    std::set<int> broken = {};   ///< never build
    std::set<int> built = {};    ///< beside the two ends
    std::set<int> neutral = {};  ///< their product equals that of the commit before
    double flaky = 0;            ///< chance that a build fails for no reason
    double lost = 0;             ///< chance that a run gives no value
    int workers = 1;
    int repeaters = 0;       ///< further machines, which only repeat what another one verified
    int at_once = 1;         ///< runs of an order that are alive at once, and share their moment
    double swing = 0;        ///< between moments, log
    double build_cost = 10;  ///< in runs
    double change_cost = 0.1;
    std::vector<double> weights = {};  ///< prior of commits 1..; empty: none is known

    const SeriesTruth& truth(int number) const { return series[static_cast<std::size_t>(number)]; }
    /// The commit that first made the product of this one.
    int product(int commit) const;
    /// @param nth  how often this commit was run before for this series
    double value(int number, int commit, int nth, double time, int worker) const;
    /// What all runs of a group meet, log. @param order, group  that they are of
    double moment(int order, int group) const;
    /// The share of its time that a run has a processor.
    double busy(int number, int commit, int nth, double time) const;
    bool loses(int number, int commit, int nth) const;
    bool flakes(int commit, int nth) const;

    /// The change ratio that the nights showed: selected for being above the threshold.
    double seen_ratio(int number) const;
    /// 24 nights' values of the good level; none where moments swing or others use the
    /// machine.
    std::vector<double> history(int number) const;

  private:
    double noise(int number, std::uint64_t what, int commit, int nth) const;
    double drift_at(double time) const;
    double deceit_of(int number, int commit, int worker) const;
    double wave_at(std::uint64_t what, double over, double time) const;
};

constexpr double threshold = 0.07;

}  // namespace vigil::bench
