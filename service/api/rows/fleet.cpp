#include "service/api/rows/fleet.hpp"

#include <nlohmann/json.hpp>

#include "service/api/rows/row_json.hpp"

namespace vigil::service {

// clang-format off
VIGIL_ROW(ListedWorker, id, name, machine_class, state, reason, last_seen_at_s, unseen_s, job,
    fingerprint, containment)
VIGIL_ROW(ListedJob, id, project, purpose, message, worker, progress, lease_expires_at_s,
    created_at_s)
VIGIL_ROW(ListedAllocation, machine_class, name, state, machine, reason, created_at_s)
VIGIL_ROW(ListedCanary, nightly, night, state, message, moved_ratio, created_at_s)
VIGIL_ROW(ChangedFact, fact, before, after)
VIGIL_ROW(ListedEnvironment, at_s, changed)
VIGIL_ROW(ListedPost, id, target, message)
VIGIL_ROW_OF_BASE(ListedMessage, ListedPost, title, state, attempts, next_attempt_at_s,
    created_at_s)
VIGIL_ROW_OF_BASE(ListedNotice, ListedPost, number, revision, changed_at_s)
VIGIL_ROW(ListedDelivery, event, state, message, received_at_s)
// clang-format on

}  // namespace vigil::service
