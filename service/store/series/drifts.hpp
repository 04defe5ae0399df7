#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// What is certain and not filed (table drift), and the verdicts that say so (table suspicion).

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

/// A suspicion that ended as drift.
struct DriftVerdict {
    SuspicionId suspicion;
    SeriesId series;
    NightlyId good;  ///< whose build it was measured against
    bool is_creep = false;
    std::string confirmed;  ///< JSON: the session's comparison
    std::optional<NightlyId> since, earliest, latest;
};
std::vector<DriftVerdict> list_drift_verdicts(Database& db, NightlyId nightly);

}  // namespace vigil::service
