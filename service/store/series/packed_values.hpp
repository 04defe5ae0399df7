#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Values of nights that are rolled up come three to a row of night_value: a row of one run is
// mostly key and header. Many nights of a series are packed at a time, so that pages become empty
// and are filled anew; night by night each page would only become half as full.

namespace vigil::service {

/// A row of night_value of one run.
struct RunValue {
    NightlyId nightly;
    std::int64_t run = 0;  ///< its id; the run itself is gone
    WorkerId worker;
    std::optional<std::int64_t> environment;
    std::int64_t count = 0;  ///< samples
    double median = 0;       ///< metric's unit
    double spread = 0;
};
/// Runs of one row: 1 to 3 of one night, worker, environment and count, in the order of their ids.
using PackedRow = std::vector<RunValue>;

/// A pure function. @param runs  of one series, in any order; each comes into one row
std::vector<PackedRow> pack_rows(std::vector<RunValue> runs);

/// Which values are being packed.
struct Packing {
    ProjectId project;
    NightlyId first, last;  ///< of its nights, those that are rolled up
    SeriesId next_series;   ///< the series before it are packed
};

/// What is being packed, or else the first nights of a project that wait for it, once there are
/// enough of them. nullopt: there is nothing to do
std::optional<Packing> find_packing(Database& db);

/// Packs some series, and notes how far it came. The caller is in a transaction.
void pack_some(Database& db, const Packing& packing);

}  // namespace vigil::service
