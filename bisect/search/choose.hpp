#pragma once

#include <optional>
#include <vector>

#include "bisect/search/availability.hpp"
#include "bisect/search/evidence.hpp"
#include "bisect/search/posterior.hpp"

namespace vigil::search {

/// One series that still searches.
struct SearchedSeries {
    int series = 0;
    int group = 0;
    const SeriesEvidence* evidence = nullptr;
    const Posterior* posterior = nullptr;
    bool may_build = true;  ///< false: the budget of builds is spent, or it is not worth one
};

/// A commit under measurement already: it will answer its part of the question by itself.
struct Pending {
    int commit = 0;
    std::vector<int> series;
};

/// One way to spend time next: a commit, and the probes of it that pay.
struct ProbeOption {
    struct GroupProbe {
        int group = 0;
        int runs = 0;   ///< that are worth their cost
        int first = 0;  ///< of them: so many are asked for, then it is known better
        std::vector<int> series;
        double bits = 0;  ///< of all these runs
    };
    int commit = 0;
    std::vector<GroupProbe> parts;  ///< most informative first
    double bits = 0;                ///< what is learned if the commit can be measured
    double rate = 0;                ///< bits by cost; the cost of one run is 1
};

struct Choice {
    const Line& line;
    const Availability& availability;
    std::vector<SearchedSeries> open;
    Costs costs;
    int workers = 1;
};

/// The option with the most information by cost, given what is pending; none when nothing teaches.
/// @source  docs/search.md, section 9; Lindley 1956
std::optional<ProbeOption> choose(const Choice& choice, const std::vector<Pending>& pending);

/// Commits strictly within a gap whose measurement would narrow it.
std::vector<int> narrowing_commits(
    const Line& line, const Availability& availability, int from, int to);

/// What a measurement of a commit says about the number of changes before it, in bits.
/// @param variance    of the measurement, log
/// @param gap, share  so far off is it, with that chance, and one does not know
double information(const CommitLevels& levels, double variance, double gap = 0, double share = 0);

/// A, B, B, A, B, A, A, B ...: `runs` of each side, so that a drift cancels.
std::vector<int> interleave(int a, int b, int runs);

/// The runs of a suspect where runs are at once (stats::run_groups): each group has a control, of
/// one end and the other in turn, for each has its own moment.
/// @param control, other  the ends; the first is the one that is needed more
std::vector<int> groups_of(int commit, int runs, int control, int other, int at_once);

}  // namespace vigil::search
