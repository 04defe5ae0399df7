#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Asks for the nightlies whose scheduled time has come; call it at every tick, on the writer.
///
/// A time is acted on once, by the trigger's key "schedule:<due_s>". Times missed while the daemon
/// was down run once, together, with an event "schedule.missed". A schedule seen for the first time
/// starts from now, at once with `at_start`; a changed one too, after what the old one missed
/// ("schedule.changed"). A clock that jumps back asks for nothing twice, and for what passed unseen
/// while it was ahead.
/// @return  how many triggers are new
int fire_schedules(Database& db, const Config& config, std::int64_t now_s);

/// Asks for the nightlies of projects that a webhook tells of and that nothing has asked for since
/// `webhook.poll_s`: a delivery may have been lost. One that nothing has ever asked for waits for
/// its first. By the trigger's key "poll:<now_s>".
/// @return  how many triggers are new
int fire_polls(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
