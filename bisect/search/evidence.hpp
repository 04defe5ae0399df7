#pragma once

#include <vector>

#include "bisect/search/modes.hpp"
#include "bisect/search/search.hpp"

namespace vigil::search {

/// Commits in classes of one product: a class is a stretch of commits whose known products are
/// equal, and stands at its first commit.
class Line {
  public:
    Line(const Problem& problem, const Facts& facts);

    int last() const { return static_cast<int>(place_.size()) - 1; }  ///< the bad end
    int place(int commit) const { return place_[static_cast<std::size_t>(commit)]; }
    /// Prior probability that a change lies after commit `from`, up to and with `to`.
    double mass(int from, int to) const {
        return sums_[static_cast<std::size_t>(to)] - sums_[static_cast<std::size_t>(from)];
    }
    /// The newest commit of the class of `commit`: the closest stand-in for what follows it.
    int newest(int commit) const;
    /// The first and the last commit after `from`, up to and with `to`, that can hold a change.
    int first_suspect(int from, int to) const;
    int last_suspect(int from, int to) const;

  private:
    std::vector<int> place_;
    std::vector<double> sums_;  ///< cumulated weights, sums_[0] = 0
};

/// Which commits can be built and run, as far as is known.
class Availability {
  public:
    Availability(const Problem& problem, const Facts& facts);

    bool built(int commit) const { return state(commit) == State::good; }
    /// Failed for good: three times alone, twice beside a failure, once within a stretch of three.
    bool unusable(int commit) const;
    bool failed(int commit) const { return state(commit) == State::failed; }
    bool untested(int commit) const { return state(commit) == State::untested; }
    /// The chance that a probe of it gives a value.
    double chance(int commit) const;
    /// Whether any commit strictly between failed.
    bool failures_between(int from, int to) const;
    int builds_tried() const { return tried_; }  ///< without the two ends

  private:
    enum class State { untested, good, failed };
    State state(int commit) const { return states_[static_cast<std::size_t>(commit)]; }
    /// The nearest commit in that direction whose state is known, or -1.
    int neighbour(int commit, int step) const {
        return (step < 0 ? below_ : above_)[static_cast<std::size_t>(commit)];
    }
    int stretch(int commit) const;

    std::vector<State> states_;
    std::vector<int> below_;  ///< the nearest known state before each commit, or -1
    std::vector<int> above_;
    std::vector<int> times_;
    int tried_ = 0;
};

/// One process of one series. Up is worse: z = ln(value), mirrored where higher is better.
struct Run {
    int place = 0;  ///< commit, by its class
    int session = 0;
    ProbePurpose purpose = ProbePurpose::search;
    double z = 0;
    double offset = 0;    ///< of its session, estimated without this run where it is a control
    double variance = 0;  ///< what remains unknown of the offset
};

/// What is known of one series before any model of its changes.
struct Evidence {
    std::vector<Run> runs;
    double noise = 0;      ///< spread of one run, over both modes where there are two
    Modes modes;           ///< of the runs of one build
    double nights = 0;     ///< spread of single runs of earlier nights; 0: not known
    double offset_sd = 0;  ///< spread of the sessions' offsets
    bool steady = false;   ///< the sessions' offsets are surely smaller than the noise
    double tau = 0;        ///< ln(1 + threshold)
    double least = 0;      ///< changes below this are not reported, log
    double expected = 0;   ///< likely size of the change, log

    /// Spread of one run within its mode.
    double own_noise() const { return modes.two() ? modes.noise : noise; }
    int runs_at(int place) const;
};

Evidence gather(const Problem& problem, const Facts& facts, const Line& line, int series);

/// Estimates each session's offset from its runs of the two ends and writes it into the runs.
void estimate_offsets(Evidence& evidence, int good, int bad);

}  // namespace vigil::search
