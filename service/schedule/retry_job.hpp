#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Plans a night's own job anew that failed, was parked or cancelled, while the night is measured.
/// @return  the new job
/// @throws Error{not_found}, Error{conflict} where that makes no sense, with the reason
JobId retry_job(Database& db, JobId job, std::int64_t now_s);

}  // namespace vigil::service
