#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bisect/detect/noise.hpp"
#include "bisect/detect/session.hpp"
#include "bisect/detect/two_nights.hpp"
#include "schema/model/enum_names.hpp"

namespace vigil::detect {

/// One night of a series.
struct SeriesNight {
    std::vector<double> runs;  ///< [r] badness of each process, r >= 1
    bool good = true;          ///< may stand in the baseline
};

/// What the last session that filed nothing left behind: tonight is no news where it repeats that.
struct LastSession {
    std::size_t night = 0;     ///< its place in the nights
    double moved = 0;          ///< the old build's level there over the baseline, log
    double change = 0;         ///< what B surely differed from A by, log, >= 0
    Evidence evidence = {};    ///< all of what it found
    bool environment = false;  ///< `moved` was more than the nights' own noise
};

/// Tonight against the learned level; worse opens a session and proves nothing. Logs, up = worse.
struct Trigger {
    bool suspicious = false;
    double baseline = 0;                  ///< median of the last 14 good nights' levels
    double moved = 0;                     ///< tonight's level over the baseline
    double expected = 0;                  ///< what of it earlier nights explain
    double bar = 0;                       ///< how much more is asked
    double score = 0;                     ///< of the shape, nats
    SeriesNoise noise;                    ///< learned from the nights before tonight
    std::vector<std::size_t> old_nights;  ///< whose builds are the A of a session, newest first
    std::string reason;
};

/// What opens a session: tonight's level, the shape of the newest nights (the suspicion score of
/// bisect/trend), one of them, or only both together.
enum class OpenedBy { level, shape, either, both };

struct TriggerRules {
    double threshold = 0.07;
    OpenedBy opened_by = OpenedBy::either;  ///< docs/decisions/0013
    double shape_bar = 4.5;                 ///< nats, from which on the shape speaks
    double shape_news = 0.75;  ///< of the bar: so much must be news beside what was expected
    double lowest_bar = 0.56;  ///< of the threshold, in logs
    double two_nights = two_nights_factor;  ///< of tonight and last night together
    double noise_factor = 1.1;              ///< and at least so many spreads of a night
    std::size_t old_builds = 3;             ///< at most so many builds on side A
};

/// How much of tonight's deviation earlier nights and the last session explain, log; below 0 where
/// the bar is lower than usual. For eight nights after that session.
/// @param levels  of the nights before tonight, oldest first; `last` counts in them
double explained_move(
    std::span<const double> levels,
    double baseline,
    const SeriesNoise& noise,
    const std::optional<LastSession>& last);

/// @param nights  oldest first, tonight last; at least one before tonight
/// @param score   suspicion of tonight by its shape, in nats; 0: not known
/// @source  docs/confirmation.md
Trigger judge_trigger(
    std::span<const SeriesNight> nights,
    const std::optional<LastSession>& last,
    const TriggerRules& rules,
    double score = 0);

}  // namespace vigil::detect

template <>
struct vigil::EnumNames<vigil::detect::OpenedBy> {
    static constexpr std::string_view noun = "trigger";
    static constexpr std::array names{
        std::pair{detect::OpenedBy::level, std::string_view("level")},
        std::pair{detect::OpenedBy::shape, std::string_view("shape")},
        std::pair{detect::OpenedBy::either, std::string_view("either")},
        std::pair{detect::OpenedBy::both, std::string_view("both")}};
};
