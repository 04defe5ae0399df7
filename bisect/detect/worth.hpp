#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::detect {

// Which suspicions are measured again first, when a night has no runs for all of them
// (docs/confirmation.md, "A night's budget"; docs/detection.md, "Whose turn it is"). Logs, up is
// worse.

/// How likely a night's move is a true change above the threshold, before anything is measured
/// again: the night's level scatters by t4 noise, one series in 500 changed, by a size whose
/// logarithm is Gaussian around that of 8 %.
/// @param moved   over the baseline; for an improvement its size
/// @param spread  of a night's level, > 0
/// @param tau     ln(1 + threshold), > 0
/// @param nights  whose mean `moved` is; more than four say no more than four, for nights resemble
///                each other
/// @return  in [0, 1]
double chance_above(double moved, double spread, double tau, int nights = 1);

/// What asks to be measured again.
struct Asking {
    double chance = 0;    ///< of a true change above the threshold, in [0, 1]
    int waited = 0;       ///< nights it has waited so far
    bool better = false;  ///< it looked better: nothing would be filed
};

/// The chance times one more than the nights waited; half of that where nothing would be filed.
double worth_of(const Asking& asking);

/// The places of `asking`, most worth first; of equals those that were first stay first.
std::vector<std::size_t> rank(std::span<const Asking> asking);

/// Runs of one night. What has begun holds as many as its first blocks may take, so that the most
/// valuable is not starved by what is asked beside it; further blocks take what is left.
class RunBudget {
  public:
    /// @param limit  runs of the night, >= 1
    explicit RunBudget(int limit) : limit_(limit) {}

    /// What was asked for already, of a session that may go on or of one that is over.
    void count_open(int runs);
    void count_ended(int runs) { taken_ += runs; }

    /// Whether one more session may begin; if so, its runs are held.
    bool begin();
    /// Whether a session that has had so many runs may take a block more; `go_on` counts it.
    bool may_go_on(int runs, int block) const { return taken_ + more(runs, block) <= limit_; }
    void go_on(int runs, int block) { taken_ += more(runs, block); }

    int taken() const { return taken_; }  ///< with what is held
    int limit() const { return limit_; }

  private:
    int held() const;
    int more(int runs, int block) const;

    int limit_;
    int taken_ = 0;
};

}  // namespace vigil::detect
