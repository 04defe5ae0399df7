#pragma once

#include <vector>

#include "bisect/search/search.hpp"

namespace vigil::search {

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

}  // namespace vigil::search
