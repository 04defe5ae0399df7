#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// The table `baseline`: where levels of a series begin, and which night is pinned.

namespace vigil::service {

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

/// The first night of the level that a night is of; 0: of the first one.
NightlyId find_level_start(Database& db, SeriesId series, NightlyId until);

/// A level that a night's own answer began.
struct AnsweredLevel {
    std::int64_t id = 0;
    SeriesId series;
};
/// But for those on which a regression was filed or closed.
std::vector<AnsweredLevel> list_answered_levels(Database& db, NightlyId nightly);

enum class LevelUse { counts, withdrawn };
void note_level_use(Database& db, const AnsweredLevel& level, LevelUse use);

/// The night becomes the pinned baseline of the series, once.
void pin_night(
    Database& db, SeriesId series, NightlyId pinned, const std::string& reason, std::int64_t now_s);

std::optional<NightlyId> find_pinned(Database& db, SeriesId series);

}  // namespace vigil::service
