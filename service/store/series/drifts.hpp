#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// The table `drift`: what is certain and not filed.

namespace vigil::service {

struct NewDrift {
    SeriesId series;
    NightlyId nightly;                     ///< that found it
    std::string kind;                      ///< "measured", "creep", "history"
    NightlyId since, earliest, latest;     ///< first night of it, as likely as not; and its bounds
    std::optional<SuspicionId> suspicion;  ///< whose session measured it
    double before = 0, after = 0;          ///< metric's unit
    double change_ratio = 0, low = 0, high = 0;
};

/// Whether one of the same place and direction is listed, to which this adds less than `grown_by`.
/// What a withdrawn night found does not count.
/// @param grown_by  change ratio
bool is_listed(Database& db, const NewDrift& drift, double grown_by);

/// @return  its id
std::int64_t add_drift(Database& db, const NewDrift& drift, std::int64_t now_s);

}  // namespace vigil::service
