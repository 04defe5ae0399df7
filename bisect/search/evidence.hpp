#pragma once

#include <vector>

#include "bisect/search/line.hpp"
#include "bisect/search/modes.hpp"
#include "bisect/search/search.hpp"

namespace vigil::search {

/// One process of one series. Up is worse: z = ln(value), mirrored where higher is better.
struct Run {
    int place = 0;    ///< of its commit
    int session = 0;  ///< what ran at once of a probe; else the probe
    ProbePurpose purpose = ProbePurpose::search;
    double z = 0;
    double offset = 0;    ///< of its session, estimated without this run where it is a control
    double variance = 0;  ///< what remains unknown of the offset
    int probe = 0;
    double busy = 0;    ///< its share of processor; 0: not known
    double spread = 1;  ///< its own, by that of a run on average
};

/// What is known of one series before any model of its changes.
/// @source  docs/search.md, section 3
struct SeriesEvidence {
    std::vector<Run> runs;
    double noise = 0;        ///< spread of one run, over both modes where there are two
    Modes modes;             ///< of the runs of one build
    double nights = 0;       ///< spread of single runs of earlier nights; 0: not known
    double offset_sd = 0;    ///< spread of the sessions' offsets
    bool exact = false;      ///< the same in every run, as an allocator's peak is
    bool disturbed = false;  ///< others use the machine, as the shares of processor show
    bool steady = false;     ///< the sessions' offsets are surely smaller than the noise
    double tau = 0;          ///< ln(1 + threshold)
    double zero = 0;         ///< what stands for observations of 0, metric's unit; 0: there is none
    double least = 0;        ///< changes below this are not reported, log
    double between = 0;      ///< what the ends differ by at least, or it is not reproduced, log
    double expected = 0;     ///< likely size of the change, log

    /// Spread of one run within its mode.
    double own_noise() const { return modes.two() ? modes.noise : noise; }
    int runs_at(int place) const;
};

/// A level, or 0 where it is that of the stand-in: the next value is twice as large.
inline double without_stand_in(double value, double zero) {
    constexpr double near = 1.2;
    return value < near * zero ? 0 : value;
}

SeriesEvidence gather(const Problem& problem, const Facts& facts, const Line& line, int series);

/// Estimates each session's offset from its runs of the two ends and writes it into the runs.
void estimate_offsets(SeriesEvidence& evidence, int good, int bad);

}  // namespace vigil::search
