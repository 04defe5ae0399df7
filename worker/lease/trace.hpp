#pragma once

#include <string>

#include "schema/model/job.hpp"

namespace vigil::worker {

/// The trace that a job belongs to, as its builds and runs find it in TRACEPARENT; empty where the
/// service gives none, or something else than a traceparent.
std::string trace_of(const Lease& lease);

}  // namespace vigil::worker
