#pragma once

#include <cstdint>

#include "service/store/nights/nightlies.hpp"

namespace vigil::service {

/// Says what is different about the series of a nightly whose jobs have ended: one event for each
/// cause, never one for each series. `series.changed`: a variant is measured by another command (a
/// batch size, say), so its series start new levels tonight; `series.new`; `series.gone`: no longer
/// planned, or planned and no longer printed. What was planned and did not come is no series'
/// event.
void note_plan_changes(Database& db, const NightlyRow& nightly, std::int64_t now_s);

}  // namespace vigil::service
