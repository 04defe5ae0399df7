#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// The table `baseline`: where levels of a series begin. What the values of a level are, and which
// night is pinned, is read by service/store/series/values.

namespace vigil::service {

/// A level of a series.
struct LevelRow {
    NightlyId first_night;
    std::optional<NightlyId> after;  ///< the newest night that was known when it was begun
    bool forgets = false;            ///< what earlier nights taught of its noise no longer holds
    bool by_answer = false;          ///< or by a night's values: the loop begins it by itself
};

void add_level(
    Database& db,
    SeriesId series,
    const LevelRow& level,
    const std::string& reason,
    std::int64_t now_s);

/// Those that stand, in the order they were begun.
std::vector<LevelRow> list_levels(Database& db, SeriesId series);

}  // namespace vigil::service
