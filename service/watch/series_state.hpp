#pragma once

#include <optional>
#include <set>
#include <vector>

#include "bisect/trend/level_watch.hpp"
#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/watch/values.hpp"

// What is remembered of a series from night to night: a night is judged from it, not from history.

namespace vigil::service {

/// So many nights at the start of a level make its base.
inline constexpr int level_base_nights = 7;

/// A series on the night that is judged.
struct FollowedNight {
    trend::NightFinding finding;  ///< nights are positions, counted from the series' first
    std::size_t position = 0;     ///< of tonight
    std::vector<double> level;    ///< values of the level's newest nights, tonight last; at most
                                  ///< level_window
    int level_nights = 0;         ///< all of the level
    std::optional<double> base;   ///< median of the level's first seven nights
};

/// Reads, continues and writes the stored states of one night's series. What is not stored, or not
/// of the night before, is followed anew through the series' history; levels that verdicts set
/// begin anew, and nights whose session filed nothing are refuted.
class SeriesStates {
  public:
    SeriesStates(Database& db, ProjectId project, NightlyId nightly);

    /// Takes tonight's value, > 0, of a series; once for each series.
    FollowedNight follow(const SeriesRow& series, double tonight);

  private:
    struct State;
    std::optional<State> load(const SeriesRow& series);
    State rebuild(const SeriesRow& series);
    void store(SeriesId series, const State& state);

    Database& db_;
    NightlyId nightly_;
    std::optional<NightlyId> before_;
    std::set<SeriesId> refuted_;  ///< the night before
};

/// The values of the newest nights of a level that verdicts set, oldest first, as they are stored
/// for the series; nothing when what is stored does not end with `nightly`.
std::optional<std::vector<double>> find_stored_level(
    Database& db, SeriesId series, NightlyId nightly, std::size_t limit);

}  // namespace vigil::service
