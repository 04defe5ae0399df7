#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/local/builds/workshop.hpp"
#include "service/local/builds/world.hpp"
#include "service/local/log_entry.hpp"

namespace vigil::local {

/// Wall time is what people mean, and what a machine that others share disturbs most. When it takes
/// many runs to tell, and the benchmark is one busy thread, a person should hear that its processor
/// time would tell sooner; where runs had to wait for a processor, after the first few. Pure.
class SteadierHint {
  public:
    /// @param runs  that are many
    SteadierHint(Measure measure, std::size_t runs) : measure_(measure), many_(runs) {}

    /// @param busy_share  of a run: processor time by wall time
    /// @return one line for a person, at most once; mostly empty
    std::string after(double busy_share);

  private:
    Measure measure_;
    std::size_t many_;
    std::vector<double> shares_;
    bool said_ = false;
};

// Runs that are alive together share a processor with its caches. A program whose data fill them
// takes more processor time beside others than alone, and no build takes more by the same share: a
// change looks larger, or smaller, than it is. The two ends tell whether it is so.

/// Runs at once, and runs alone right after them: the machine is the same for both.
struct InterferenceRound {
    EndValues together;
    EndValues alone;
};

enum class InterferenceVerdict { fits, disturbs, open };

/// That they disturb each other takes two rounds: a moment of the machine slows all runs at once.
/// @param rounds    each end at least one value of both kinds in each
/// @param slowdown  gets what a run beside others takes more
InterferenceVerdict judge_interference(
    const std::vector<InterferenceRound>& rounds, double& slowdown);

/// Runs both ends alone, in turns, then at once and alone again, until it is known, or so many runs
/// are made that it stays open: then runs may be alive together unless they more likely than not
/// disturb each other.
/// @param together  of runs at once that were made just now, each end at least one
/// @return nothing when stopped
std::optional<Interference> measure_interference(
    Workshop& workshop,
    const World& world,
    const Revision& good,
    const Revision& bad,
    const EndValues& together,
    int at_once);

/// "runs at once disturb each other ..."; empty where they do not.
std::string interference_note(const Interference& interference);

}  // namespace vigil::local
