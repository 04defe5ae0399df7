#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bisect/detect/session.hpp"
#include "bisect/detect/trigger.hpp"

namespace vigil::detect {

struct WatchRules {
    Direction direction = Direction::lower_is_better;
    double threshold = 0.07;
    MetricKind kind = MetricKind::time;
    int max_blocks = 16;
    TriggerRules trigger;
};

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

/// The closed loop of one series: nights and A/B sessions in, verdicts out. Builds are numbered
/// like the nights that made them; the first night's build has the number `first_build`.
/// Values are the metric's unit, each > 0; one or more a night.
/// @source  docs/confirmation.md
class SeriesWatch {
  public:
    SeriesWatch(
        const WatchRules& rules, int first_build, const std::vector<std::vector<double>>& history);

    /// A night's values. @throws Error{invalid_argument} on values that are not above 0, or while
    /// a session waits for its runs
    /// @param score  suspicion by the shape of the newest nights, nats; 0: not known
    WatchStep take_night(const std::vector<double>& values, double score = 0);
    /// The values of the runs that were asked for, in their order. @throws Error{invalid_argument}
    WatchStep take_runs(const std::vector<double>& values);

    bool waits_for_runs() const { return !asked_.empty(); }
    /// The number of the newest night's build.
    int newest_build() const { return first_build_ + static_cast<int>(nights_.size()) - 1; }

  private:
    WatchStep begin_session(std::vector<std::size_t> old_nights);
    WatchStep ask(int from_run);
    SessionRules session_rules() const;
    bool is_hasty(const SessionJudgement& judgement) const;
    WatchStep end_session(const SessionJudgement& judgement);
    Verdict named(const SessionJudgement& judgement) const;
    void remember(const SessionJudgement& judgement, Verdict verdict);
    void add_night(const std::vector<double>& values);

    /// Nights that wait for tomorrow's build.
    struct Watched {
        std::vector<std::size_t> old_nights;
        Evidence evidence;
        int nights = 1;
    };

    WatchRules rules_;
    int first_build_;
    std::vector<SeriesNight> nights_;
    Trigger trigger_;                      ///< tonight's
    std::vector<std::size_t> old_nights_;  ///< side A of the session that goes on
    std::vector<SessionRun> runs_;         ///< its runs
    std::vector<int> asked_;               ///< builds of the runs that are waited for
    bool halves_ = false;                  ///< the first two blocks are asked for in halves
    std::optional<Watched> watched_;
    std::optional<LastSession> last_;
};

}  // namespace vigil::detect
