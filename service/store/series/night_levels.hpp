#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// What a night pins or began in the baselines of series (table baseline).

namespace vigil::service {

/// The night becomes the pinned baseline of the series, once.
void pin_night(
    Database& db, SeriesId series, NightlyId pinned, const std::string& reason, std::int64_t now_s);

/// A level that a night's own answer began.
struct AnsweredLevel {
    std::int64_t id = 0;
    SeriesId series;
};
/// But for those on which a regression was filed or closed.
std::vector<AnsweredLevel> list_answered_levels(Database& db, NightlyId nightly);

enum class LevelUse { counts, withdrawn };
void note_level_use(Database& db, const AnsweredLevel& level, LevelUse use);

}  // namespace vigil::service
