#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bisect/detect/noise.hpp"
#include "bisect/detect/rules.hpp"
#include "bisect/detect/session.hpp"
#include "bisect/detect/two_nights.hpp"
#include "schema/model/enum_names.hpp"

namespace vigil::detect {

/// What is remembered of one night of a series.
struct SeriesNight {
    std::int64_t id = 0;    ///< of the night, as its shell counts them: growing
    double level = 0;       ///< badness, by the noise of runs that is known
    double middle = 0;      ///< median of its runs, badness
    RunScatter scatter;     ///< of its runs
    std::uint32_t era = 0;  ///< which level of the series it is of: growing
    bool good = true;       ///< may stand in the baseline

    bool operator==(const SeriesNight&) const = default;
};

/// How the runs of the newest of these nights scatter, whichever level they are of.
RunNoise run_noise_of(std::span<const SeriesNight> nights);

/// The nights of the newest night's level.
std::span<const SeriesNight> newest_level(std::span<const SeriesNight> nights);

/// What the last session that filed nothing left behind: tonight is no news where it repeats that.
struct LastSession {
    std::int64_t night = 0;         ///< its id
    double moved = 0;               ///< the old build's level there over the baseline, log
    double change = 0;              ///< what B surely differed from A by, log, >= 0
    SessionEvidence evidence = {};  ///< all of what it found
    bool environment = false;       ///< `moved` was more than the nights' own noise

    bool operator==(const LastSession&) const = default;
};

/// Nights from the one with this id on, it not counted.
std::size_t nights_after(std::span<const SeriesNight> nights, std::int64_t id);

/// Tonight against the learned level; worse opens a session and proves nothing. Logs, up = worse.
struct BarCheck {
    bool suspicious = false;
    double baseline = 0;  ///< median of the last good nights' levels
    double moved = 0;     ///< tonight's level over the baseline
    double expected = 0;  ///< what of it earlier nights explain
    double bar = 0;       ///< how much more is asked
    double score = 0;     ///< of the shape, nats
    SeriesNoise noise;    ///< learned from the nights before tonight
    bool by_two = false;  ///< only together with last night
};

/// The rule that spoke, with its figures, for a person.
std::string reason_of(const BarCheck& bar_check);

/// What opens a session: tonight's level, the shape of the newest nights (the suspicion score of
/// bisect/trend), one of them, or only both together.
enum class OpenedBy { level, shape, either, both };

struct BarRules {
    double threshold = 0.07;
    OpenedBy opened_by = OpenedBy::either;  ///< docs/decisions.md, 0013
    double shape_bar = rule.shape_bar;
    double lowest_bar = rule.lowest_bar;
    double two_nights = rule.two_nights;
    double night_spreads = rule.night_spreads;
};

/// @param nights  oldest first, tonight last; at least one before tonight is of its level. Earlier
///                levels tell of the noise only
/// @param run     how runs scattered in the nights before tonight
/// @param score   suspicion of tonight by its shape, in nats; 0: not known
/// @source  docs/detection.md, "The bar" and "What earlier nights explain"
BarCheck check_bar(
    std::span<const SeriesNight> nights,
    const RunNoise& run,
    const std::optional<LastSession>& last,
    const BarRules& rules,
    double score = 0);

/// The nights whose builds are the A of a session about tonight, newest first: good ones at the
/// usual level, and where nights vary none so young that a step may hide in it. Never empty.
/// @param level  nights of tonight's level, tonight last; at least one before it
std::vector<std::int64_t> choose_old_nights(
    std::span<const SeriesNight> level, const BarCheck& bar_check, double threshold);

}  // namespace vigil::detect
