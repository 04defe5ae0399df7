#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "bisect/trend/background.hpp"
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
    double change_ratio = 0;  ///< how much worse; in units of the scale where `before` is 0
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

/// Follows one series night by night and says when its level has changed. Each night is judged by
/// itself and earlier nights only, and costs the same however long the series is. An improvement
/// starts a new level and is told as a change that is not `worse`.
/// @source  docs/detection.md
class LevelWatch {
  public:
    explicit LevelWatch(Direction direction, WatchRules rules = {});

    /// @param value  NaN or infinite: nothing was measured
    NightFinding append(double value);

    /// The environment changed between the last night and the next: a new level without a change.
    void start_level();

    /// The night just appended was measured again and shows no change: no later suspicion or
    /// change reaches back to it. Its value still counts as noise of this series.
    void refute_last_night();

    std::size_t nights() const { return next_night_; }

    /// Measured nights of the current level that are remembered.
    std::size_t level_nights() const { return kept_.size() - kept_.begin; }

  private:
    struct Best {
        Contest contest;
        Background before;
        double sign = 0;
        std::size_t count = 0;  ///< newest nights
    };

    /// Positions in kept_ of a level's likeliest first night and of its plausible range.
    struct Place {
        std::size_t first, earliest, latest;
    };

    void remember(double value);
    void forget_old();
    void rescale();
    NightFinding judge();
    Place place_of(const Background& before, double step) const;
    Change take_change(const Best& best);
    void close_level(std::size_t first);

    WatchRules rules_;
    Scale scale_;
    Kept kept_;
    std::size_t next_night_ = 0;
};

}  // namespace vigil::trend
