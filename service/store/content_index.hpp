#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "schema/model/job.hpp"
#include "service/store/database.hpp"

namespace vigil {

/// Why content went: its run was rolled up, it was unused for too long, the store was too large.
enum class DropReason { run_gone, unused, no_room };

}  // namespace vigil

namespace vigil::service {

/// Notes content that lies in the store; the same again only counts as used.
void record_content(
    Database& db,
    const Digest& digest,
    std::int64_t size_bytes,
    ContentKind kind,
    std::int64_t now_s);

std::optional<ContentKind> find_content_kind(Database& db, const Digest& digest);

void touch_content(Database& db, const Digest& digest, std::int64_t now_s);

/// The newest nightlies of a project whose content stays: what the next nights are compared with.
constexpr int nights_kept = 30;

/// The logs of a job that is about to go, but for those that others name, too: they are removed
/// next.
void release_logs(Database& db, JobId job);

/// Content to remove: what was released, and more, so that at most `max_bytes` stay. Bodies of
/// deliveries go first, then trees (git has them), then products (they can be built again), then
/// logs, archives last; within a kind, what was longest unused. Never what is needed: by open jobs,
/// sessions, bisections and regressions, by baselines, by the newest `nights_kept` nightlies of a
/// project. So more than `max_bytes` may stay. The logs on which a regression stands never go: of
/// its sessions and its search; nor do those of failed builds. One that is come across is marked,
/// and passed over from then on.
std::vector<Digest> list_evictable(Database& db, std::int64_t max_bytes, int limit = 1000);

/// Content that nothing has used since `before_s`, UTC, the longest unused first; never what
/// list_evictable leaves.
std::vector<Digest> list_unused(
    Database& db, ContentKind kind, std::int64_t before_s, int limit = 1000);

/// What of the content may stay.
struct ContentLimits {
    std::int64_t max_bytes = 0;                         ///< of all of it
    std::map<ContentKind, std::int64_t> unused_s = {};  ///< longest without use; those missing: any
};
/// Forgets what is to go by these limits, and notes how much that was (table dropped_content).
/// @return  to be removed from the store
std::vector<Digest> drop_content(Database& db, const ContentLimits& limits, std::int64_t now_s);

/// Forgets content in the ledger, before it is removed: its build is exported or built again when
/// it is needed, or, when it was an archive, can no longer be had.
void forget_content(Database& db, const Digest& digest);

/// Which of the stored files the ledger knows nothing of: their upload was cut before it was
/// acknowledged. To be asked at start, before any upload.
std::vector<Digest> list_unknown(Database& db, const std::vector<Digest>& stored);

}  // namespace vigil::service
