#pragma once

#include <cstdint>

#include "service/store/database.hpp"

namespace vigil::service {

/// Fewer than these count as these: a job that is looked at too early would stay for ever, with the
/// newest measurements of its series.
constexpr int fewest_raw_nights = 30;

/// One slice of the roll-up of old nights: the uneventful jobs of a night go with their runs, some
/// at a time (service/store/work/old_jobs.hpp says which). What they measured stays as night_value:
/// median, spread and count of each run. Then its suspicions that were refuted become short
/// (service/store/series/old_suspicions.hpp). Where many nights are rolled up their values come
/// three to a row (service/store/series/packed_values.hpp). Each slice is one short transaction,
/// and the next one goes on where it ended. Nothing that a new night is judged by is touched.
/// @param raw_nights  so many of each project's newest nights keep their runs; 0: all do
/// @return  whether something was done: there may be more
bool roll_up_slice(Database& db, int raw_nights, std::int64_t now_s);

}  // namespace vigil::service
