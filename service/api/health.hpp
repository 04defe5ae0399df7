#pragma once

#include <cstdint>
#include <string>

#include "service/api/common/http_counters.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Part of readiness, on the writer: the ledger answers, and its transaction is a writing one.
/// @throws Error{unavailable}
void check_ledger(Database& db);

/// What /readyz answers: "ready", then a line for each kind of open troubles with their number.
/// Whoever asks may read it, so it holds no name and no message.
std::string readiness_text(Database& db);

/// Everything /metrics tells, in Prometheus' text format 0.0.4.
std::string metrics_text(Database& db, const HttpCounters& counters, std::int64_t now_s);

}  // namespace vigil::service
