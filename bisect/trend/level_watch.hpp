#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "bisect/trend/background.hpp"
#include "bisect/trend/level_state.hpp"
#include "bisect/trend/rivals.hpp"
#include "bisect/trend/rules.hpp"
#include "bisect/trend/scale.hpp"
#include "schema/model/metric.hpp"

namespace vigil::trend {

/// A new level of a series, as it was known on the night that raised it.
struct Change {
    std::size_t night = 0;     ///< the night that raised it
    std::size_t first = 0;     ///< first night of the new level, the likeliest
    std::size_t earliest = 0;  ///< plausible range of `first`, both ends included
    std::size_t latest = 0;
    bool worse = false;
    double before = 0;        ///< median of the level before, the series' unit
    double after = 0;         ///< median since `first`, the series' unit
    double change_ratio = 0;  ///< how much worse; infinite where a rise begins at 0
    double low = 0;           ///< 90 % interval of change_ratio
    double high = 0;
    double margin = 0;  ///< over the nearest rival, > 0
};

/// When a step began, as far as the nights seen so far can tell.
struct Since {
    std::size_t first = 0;     ///< the likeliest
    std::size_t earliest = 0;  ///< plausible range, both ends included
    std::size_t latest = 0;
};

/// What one night says.
struct NightFinding {
    double suspicion = 0;  ///< in nats; 4 and more is worth a measurement of its own
    std::optional<Change> change;
    Rival waiting_for = Rival::none;  ///< the rival not yet beaten by the best step; none: no step
    double step = 0;                  ///< that step, in ln or shares, > 0: up
    double margin = 0;                ///< over that rival, <= 0
    std::optional<Since> since;       ///< of what is suspected, when `suspicion` is above 0
};

/// The newest nights taken together as a new level, against what came before.
struct Attempt {
    std::size_t nights = 0;     ///< newest ones, tonight included
    double step = 0;            ///< their median over the level before; ln or shares, > 0: worse
    double before = 0;          ///< median of the level before, the series' unit
    std::size_t stands_on = 0;  ///< nights of that median
    double spread = 0;          ///< of one night, as `step`
    double suspicion = 0;       ///< nats; 0 where so many nights do not count for it
    std::vector<Duel> duels;    ///< none: the step is too small, or the level too short
};

/// Why a night says what it says.
struct Explanation {
    NightFinding finding;
    std::size_t level_nights = 0;   ///< measured, of the level that tonight is held against
    std::vector<Attempt> attempts;  ///< by one newest night, by two, ...
};

/// Follows one series night by night and says when its level has changed. Each night is judged by
/// itself and earlier nights only, and costs the same however long the series is. An improvement
/// starts a new level and is told as a change that is not `worse`. All it knows is its LevelState,
/// a small value: a watch that goes on from a stored state says the same as one that went on.
/// @source  docs/detection.md, "The shape of the newest nights"
class LevelWatch {
  public:
    explicit LevelWatch(Direction direction, LevelWatchRules rules = {});
    /// Goes on where the watch stood that had this state, under the same rules.
    explicit LevelWatch(LevelState state, LevelWatchRules rules = {});

    const LevelState& state() const { return state_; }
    /// Ends the watch.
    LevelState take_state() { return std::move(state_); }

    /// @param value  NaN or infinite: nothing was measured
    NightFinding append(double value);

    /// The environment changed, or a change was proven: the newest so many remembered nights are
    /// the first ones of a new level; by default it begins with the next night.
    void start_level(std::size_t newest = 0);

    /// The night just appended was measured again and shows no change: no later suspicion or
    /// change reaches back to it. Its value still counts as noise of this series.
    void refute_last_night();

    std::size_t nights() const { return state_.next_night; }

    /// Measured nights of the current level that are remembered.
    std::size_t level_nights() const { return state_.kept.size() - state_.kept.begin; }

    /// What tonight would say if its value were this one, looked at from all sides; nothing is
    /// appended. @param value  finite
    Explanation explain(double value) const;

  private:
    struct Best {
        Contest contest;
        Background before;
        double sign = 0;
        std::size_t count = 0;  ///< newest nights
    };

    /// Positions in the kept nights of a level's likeliest first night and of its plausible range.
    struct Beginning {
        std::size_t first, earliest, latest;
    };

    void remember(double value);
    bool use_shares();
    void forget_old();
    void rescale();
    void take(double value);
    NightFinding judge();
    std::vector<Attempt> attempts() const;
    Since nights_of(const Beginning& beginning) const;
    Beginning beginning_of(const Background& before, double step) const;
    Change take_change(const Best& best);
    void close_level(std::size_t first);

    LevelWatchRules rules_;
    LevelState state_;
};

}  // namespace vigil::trend
