#pragma once

#include <cstdint>
#include <span>

#include "service/store/nights/nightlies.hpp"
#include "service/watch/night/elsewhere.hpp"

// Ledgers before version 50 called a benchmark by less than its file tells. What a file says today
// shows what became of each such series.

namespace vigil::service {

/// Before tonight's values are written: a former series that was one benchmark gets its name, and
/// keeps its id, its history, its mutes and its issue. One that held several is closed: it gets a
/// name of its own, its mute ends, and what stood open of it alone is refuted. An event of the
/// night names these, once.
void settle_names(
    Database& db,
    const NightlyRow& night,
    MachineClassId machine_class,
    std::span<const SentReading> readings,
    std::int64_t now_s);

/// A job of before version 50 that holds the same: at least half of its values are found among the
/// readings, under the names of then or of now.
std::optional<JobId> find_former_job(
    Database& db,
    NightlyId night,
    MachineClassId machine_class,
    std::span<const SentReading> readings);

}  // namespace vigil::service
