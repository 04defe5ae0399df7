#pragma once

#include <string_view>

namespace vigil {

/// Whether an event of this kind is told to people, in the log and by `vigil watch`: nights,
/// verdicts, regressions, deliveries, pull requests, and what failed. Jobs come and go by the
/// thousand and are told by the ledger only.
bool is_reported(std::string_view event_kind);

}  // namespace vigil
