#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/reports/reports.hpp"

namespace vigil::service {

/// Writes what is due, in the caller's transaction:
/// a regression whose search ended (`attributed`, `range`) is reported and becomes `reported`; one
/// that was reported is rendered again when it changed since; a night that ended gets its summary,
/// once; a trouble of a project is reported when it begins and when it ends, that of a nightly
/// which does not build also as it changes; the summary of a week where a target wants it.
/// @return  how many reports were stored
int report_step(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
