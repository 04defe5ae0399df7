#pragma once

#include <array>
#include <vector>

#include "bisect/search/evidence.hpp"

namespace vigil::search {

constexpr int most_changes = 3;  ///< in a range, that are reckoned with at a time

class SpreadFit;

/// The levels a commit may have, by how many changes lie before it.
struct CommitLevels {
    std::array<double, most_changes + 1> p{};
    std::array<double, most_changes + 1> mean{};
    std::array<double, most_changes + 1> variance{};
    std::array<double, most_changes + 1> layout{};  ///< variance of a build around its level
};

/// Where the changes of one series lie, given its runs: up to three changes of unknown size at
/// unknown places, Student-t noise, a jitter of each build, unknown spreads of both.
/// Places are the measured commits in order; gap g lies between places g and g + 1.
/// @source  docs/search.md, sections 6 and 7
class Posterior {
  public:
    /// @param evidence  runs of at least two places
    Posterior(const SeriesEvidence& evidence, const Line& line, MetricKind kind);

    const std::vector<int>& places() const { return places_; }
    int gaps() const { return static_cast<int>(places_.size()) - 1; }
    double changed(int gap) const { return changed_[static_cast<std::size_t>(gap)]; }
    /// The size of the change in a gap if there is one, log, up is worse.
    double effect(int gap) const { return effect_[static_cast<std::size_t>(gap)]; }
    /// Its standard deviation.
    double effect_error(int gap) const { return effect_error_[static_cast<std::size_t>(gap)]; }
    /// P(a change in a gap, and of a size worth telling).
    double notable(int gap) const { return notable_[static_cast<std::size_t>(gap)]; }
    double small() const { return small_; }          ///< P(net change is below `between`)
    double net() const { return net_; }              ///< level of the bad end over the good, log
    double noise() const { return noise_; }          ///< of one run, over both modes
    double own_noise() const { return own_noise_; }  ///< of one run within its mode
    double jitter() const { return jitter_; }
    /// The same if a gap holds no change: what differs there is layout then.
    double jitter_if_same(int gap) const { return same_[static_cast<std::size_t>(gap)]; }
    CommitLevels levels(int commit) const;
    /// [suspects] P(change at commit i + 1)
    std::vector<double> by_commit() const;

  private:
    struct Segment {
        double mean = 0;
        double variance = 0;
        std::array<double, most_changes + 1> p{};       ///< P(segment, changes before it)
        std::array<double, most_changes + 1> layout{};  ///< of builds, times `p`
    };
    std::size_t at(int first, int last) const {
        return static_cast<std::size_t>(first) * places_.size() + static_cast<std::size_t>(last);
    }
    int gap_of(int commit) const;
    void add(const SpreadFit& fit, double weight);
    void finish();

    const Line* line_;
    std::vector<int> places_;
    std::vector<double> changed_;
    std::vector<double> effect_;
    std::vector<double> effect_error_;  ///< until `finish` the square of the effect
    std::vector<double> notable_;
    std::vector<double> same_;       ///< jitter if nothing changed; until `finish` its square
    std::vector<Segment> segments_;  ///< averaged over spreads; [first * places + last]
    double small_ = 0;
    double net_ = 0;
    double noise_ = 0;
    double own_noise_ = 0;
    double jitter_ = 0;
};

}  // namespace vigil::search
