#pragma once

#include <vector>

#include "service/api/common/context.hpp"
#include "service/store/lists/queue.hpp"

namespace vigil::service {

/// Jobs that have not ended; `message` says why they wait, too.
std::vector<QueueGroup> load_queue(Database& db, const HandlerContext& context);

}  // namespace vigil::service
