#pragma once

#include <optional>
#include <string>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// The traceparent of what a job goes back to: the request that asked for it, or the trigger of its
/// night. Its session's and its search's count as its own. nullopt: nobody asked for it.
std::optional<std::string> find_traceparent(Database& db, JobId job);

}  // namespace vigil::service
