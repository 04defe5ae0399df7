#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bisect/trend/explained.hpp"
#include "bisect/trend/past.hpp"
#include "service/cli/history/history.hpp"

// What `vigil detect FILE` makes of one history. Pure functions.

namespace vigil::cli {

/// What one night said when it was the newest.
struct NightSeen {
    std::size_t night = 0;  ///< position in the history
    bool measured = false;
    bool moved = false;            ///< first night of another environment
    std::size_t level_nights = 0;  ///< measured, of the level it was judged against, itself too
    trend::NightFinding finding;
};

/// Follows the history night by night, each night judged by itself and earlier ones only.
void follow_history(
    const History& history,
    Direction direction,
    const std::function<void(const NightSeen&)>& visit,
    const trend::LevelWatchRules& rules = {});

enum class ChangeKind { worse, better, environment };

struct StudiedChange {
    ChangeKind kind = ChangeKind::worse;
    trend::PastChange change;
    bool sure = false;                  ///< certain, or raised on a night
    std::optional<std::size_t> raised;  ///< the night that raised it, followed night by night
};

struct Study {
    Direction direction = Direction::lower_is_better;
    std::size_t measured = 0;  ///< nights
    std::vector<StudiedChange> changes;
    std::optional<NightSeen> newest;  ///< the newest measured night
};

Study study_history(const History& history, Direction direction);

using trend::least_judged_nights;
using trend::suspicious;

/// How the words of a history name its nights and values.
trend::ExplainedNames names_in(const History& history);

/// The decision of one night, for a person.
std::string decision_words(const NightSeen& seen, const History& history);

}  // namespace vigil::cli
