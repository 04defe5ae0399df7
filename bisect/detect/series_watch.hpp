#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bisect/detect/series_answer.hpp"

namespace vigil::detect {

/// What a night came to. Without a verdict nothing was suspicious.
struct NightEnding {
    std::optional<Verdict> verdict;
    int old_build = 0;  ///< the newest build of side A
    int new_build = 0;
    Comparison comparison;  ///< without runs: nothing was compared
    std::string reason;
};

/// Either runs to make, one build a fresh process, in this order, or the night's ending.
struct WatchStep {
    std::vector<int> runs;
    std::optional<NightEnding> ending;
};

/// A series loop whose sessions are run at once, without a ledger: nights and runs in, verdicts
/// out. Builds are numbered like the nights that made them; the first night's build has the number
/// `first_build`. Values are the metric's unit, each > 0; one or more a night.
class SeriesWatch {
  public:
    /// @throws Error{invalid_argument} without an earlier night
    SeriesWatch(
        const LoopRules& rules, int first_build, const std::vector<std::vector<double>>& history);

    /// A night's values. @throws Error{invalid_argument} on values below 0, or while
    /// a session waits for its runs
    WatchStep take_night(const std::vector<double>& values);
    /// The values of the runs that were asked for, in their order. @throws Error{invalid_argument}
    WatchStep take_runs(const std::vector<double>& values);

    bool waits_for_runs() const { return !asked_.empty(); }
    /// The number of the newest night's build.
    int newest_build() const { return newest_build_; }

  private:
    WatchStep ask();

    LoopRules rules_;
    SeriesRecord record_;
    int newest_build_;
    std::string reason_;            ///< of the question
    std::vector<SessionRun> runs_;  ///< of the session that goes on
    std::vector<WantedRun> asked_;  ///< the runs that are waited for
};

}  // namespace vigil::detect
