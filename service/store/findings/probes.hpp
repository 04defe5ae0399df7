#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Closes the probes of a bisection whose job has ended. @return how many are still open
int close_probes(Database& db, BisectionId bisection);

/// The build of a suspect, made on its first probe.
BuildId ensure_suspect_build(
    Database& db, ProjectId project, BisectionId bisection, int position, std::int64_t now_s);

}  // namespace vigil::service
