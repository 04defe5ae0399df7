#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "bisect/search/evidence.hpp"
#include "bisect/search/posterior.hpp"
#include "bisect/search/side_by_side.hpp"

namespace vigil::search {

/// The spreads assumed by one point of the model.
struct Spreads {
    double sigma = 0;   ///< of one run
    double jitter = 0;  ///< of one build
};

/// All segmentations of the measured places under one pair of spreads, weighed by forward and
/// backward sums over segments: a segment is a stretch of places with one level.
/// @source  docs/search.md, section 6; Barry and Hartigan 1993; Fearnhead 2006
class SpreadFit {
  public:
    /// @param gap_mass    [places - 1] prior probability that a change lies in a gap
    /// @param neighbours  [places - 1] what both sides of a gap differ by when run together
    SpreadFit(
        const SeriesEvidence& evidence,
        const std::vector<int>& places,
        const std::vector<double>& gap_mass,
        const std::vector<SideBySide>& neighbours,
        Spreads spreads);

    double log_evidence() const { return log_evidence_; }
    Spreads spreads() const { return spreads_; }

    struct FitSummary {
        std::vector<double> changed;    ///< by gap
        std::vector<double> effect;     ///< by gap, times `changed`
        std::vector<double> square;     ///< of the effect, by gap, times `changed`
        std::vector<double> notable;    ///< by gap: P(a change of a size worth telling)
        std::vector<double> segment_p;  ///< [(first * places + last) * 4 + changes before]
        std::vector<double> mean;       ///< [first * places + last]
        std::vector<double> variance;
        double small = 0;
        double net = 0;
    };
    FitSummary summarise() const;

  private:
    std::size_t at(std::size_t first, std::size_t last) const { return first * size_ + last; }
    std::size_t at(std::size_t changes, std::size_t first, std::size_t last) const {
        return (changes * size_ + first) * size_ + last;
    }
    /// Where the steps from the segment (first, last) begin in steps_.
    std::size_t step_at(std::size_t first, std::size_t last, std::size_t next_last) const {
        return step_start_[at(first, last)] + (next_last - last - 1);
    }
    void measure_segments(const std::vector<std::vector<double>>& rows, const std::vector<double>&);
    /// A change between two segments.
    struct Seen {
        double change = 0;
        double variance = 0;
        double density = 1;  ///< that levels and neighbours agree on it so well
    };
    Seen seen(std::size_t from, std::size_t to, std::size_t gap) const;
    double unchanged(std::size_t gap) const;
    double jump(double change, double variance) const;
    double beyond(double change) const;
    double share_of_notable(double change, double variance) const;
    void go_forward(const std::vector<double>& gap_mass);
    double reached(std::size_t first, std::size_t last) const;
    void go_on(std::size_t first, std::size_t last, const std::vector<double>& gap_mass);
    void go_backward();
    double share_of_small() const;

    const SeriesEvidence& evidence_;
    std::vector<std::optional<SideBySide::Seen>> neighbours_;  ///< by gap
    Spreads spreads_;
    std::size_t size_;
    double spacing_ = 0;
    double log_evidence_ = 0;
    double total_ = 0;
    std::vector<double> weight_;  ///< evidence of a segment, relative to its places alone
    std::vector<double> mean_;
    std::vector<double> variance_;
    std::vector<double> forward_;
    std::vector<double> backward_;
    std::vector<std::size_t> step_start_;
    std::vector<double> steps_;  ///< prior of a gap and its jump, times the next segment's weight
};

}  // namespace vigil::search
