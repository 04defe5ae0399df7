#pragma once

#include <map>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// What a series' history tells beside its values.

namespace vigil::service {

/// Nights on which something truly got worse: filed, and no person has refuted it.
std::vector<NightlyId> list_worse_nights(Database& db, SeriesId series);

/// First nights of levels that no verdict on the code explains: the machine's.
std::vector<NightlyId> list_moved_nights(Database& db, SeriesId series);

struct NightNames {
    std::string day;   ///< YYYY-MM-DD; empty: it has none that is one
    std::string time;  ///< when it was recorded, ISO 8601
};
/// Of the nights of the series' project, from `first` to `last`.
std::map<NightlyId, NightNames> load_night_names(
    Database& db, SeriesId series, NightlyId first, NightlyId last);

}  // namespace vigil::service
