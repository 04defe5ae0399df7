#include "service/store/content_index.hpp"

#include <set>
#include <utility>

namespace vigil::service {

namespace {
constexpr std::string_view archive_removed = "its archive was removed to make room";

// What content.used_at_s is of content that is released, and of what is kept for ever.
constexpr std::int64_t released_s = 0;
constexpr std::int64_t kept_s = std::int64_t{1} << 60;
}  // namespace

void record_content(
    Database& db,
    const Digest& digest,
    std::int64_t size_bytes,
    ContentKind kind,
    std::int64_t now_s) {
    db.execute(
        "INSERT INTO content(digest, size_bytes, kind, created_at_s, used_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT(digest) DO UPDATE SET used_at_s = ?4",
        digest,
        size_bytes,
        kind,
        now_s);
    if (kind != ContentKind::artifact) return;
    db.execute(  // it was forgotten once, and is back
        "UPDATE build SET input_error = '' WHERE input_digest = ?1 AND input_error = ?2",
        digest,
        archive_removed);
}

std::optional<ContentKind> find_content_kind(Database& db, const Digest& digest) {
    return db.find<ContentKind>("SELECT kind FROM content WHERE digest = ?1", digest);
}

void touch_content(Database& db, const Digest& digest, std::int64_t now_s) {
    db.execute("UPDATE content SET used_at_s = ?2 WHERE digest = ?1", digest, now_s);
}

namespace {

// Builds whose inputs and products somebody may soon ask for, and these.
const std::string with_kept =
    "WITH needed(id) AS ("
    "SELECT jb.build_id FROM job j JOIN job_build jb ON jb.job_id = j.id "
    "WHERE j.state IN {open_jobs} UNION SELECT a_build_id FROM session WHERE state = 'open' "
    "UNION SELECT n.build_id FROM session x, json_each(nullif(x.old_nights, '')) o "
    "JOIN nightly n ON n.id = o.value WHERE x.state = 'open' "
    "UNION SELECT b_build_id FROM session WHERE state = 'open' "
    "UNION SELECT good_build_id FROM regression WHERE state <> 'closed' "
    "UNION SELECT bad_build_id FROM regression WHERE state <> 'closed' "
    "UNION SELECT s.build_id FROM suspect s JOIN bisection b ON b.id = s.bisection_id "
    "WHERE b.state IN {open_bisections} AND s.build_id IS NOT NULL "
    "UNION SELECT n.build_id FROM baseline b JOIN nightly n ON n.id = b.nightly_id "
    "UNION SELECT n.build_id FROM project p CROSS JOIN nightly n ON n.project_id = p.id "
    "AND n.beside IS NULL "
    "AND n.id > ifnull((SELECT o.id FROM night o WHERE o.project_id = p.id ORDER BY o.id DESC "
    "LIMIT 1 OFFSET ?1), 0)), "
    "kept(digest) AS ("
    "SELECT input_digest FROM build WHERE id IN needed AND input_digest IS NOT NULL "
    "UNION SELECT digest FROM product WHERE build_id IN needed AND digest IS NOT NULL) ";

const std::string select_evictable =
    with_kept +
    "SELECT digest, size_bytes, kind = 'log' FROM content WHERE digest NOT IN kept "
    "AND used_at_s < ?3 "
    "ORDER BY CASE kind WHEN 'delivery' THEN 0 WHEN 'source' THEN 1 WHEN 'product' THEN 2 "
    "WHEN 'log' THEN 3 ELSE 4 END, used_at_s, digest LIMIT ?2";

// A regression, or the search for one, stands on it.
bool is_evidence(Database& db, const Digest& log) {
    return db.has(
        "SELECT 1 FROM run r CROSS JOIN job j ON j.id = r.job_id WHERE r.log_digest = ?1 "
        "AND (j.probe_id IS NOT NULL OR EXISTS (SELECT 1 FROM suspicion u "
        "CROSS JOIN regression_series x ON x.suspicion_id = u.id "
        "WHERE u.nightly_id = j.nightly_id AND u.session_id = j.session_id)) UNION ALL "
        "SELECT 1 FROM product WHERE log_digest = ?1 AND state = 'failed' LIMIT 1",
        log);
}

struct Released {
    Digest digest;
    std::int64_t size_bytes = 0;
};

struct Candidate {
    Digest digest;
    std::int64_t size_bytes = 0;
    bool is_log = false;
};

}  // namespace

void release_logs(Database& db, JobId job) {
    db.execute(
        "UPDATE content SET used_at_s = ?2 WHERE digest IN (SELECT log_digest FROM run "
        "WHERE job_id = ?1 AND log_digest IS NOT NULL) AND +kind = 'log' AND NOT EXISTS (SELECT 1 "
        "FROM run o WHERE o.log_digest = content.digest AND o.job_id <> ?1) AND NOT EXISTS "
        "(SELECT 1 FROM product p WHERE p.log_digest = content.digest)",
        job,
        released_s);
}

namespace {

std::vector<Released> list_released(Database& db, int limit) {
    return db.all<Released>(
        "SELECT digest, size_bytes FROM content INDEXED BY content_released "
        "WHERE used_at_s = 0 LIMIT ?1",
        limit);
}

/// Whether it stays for ever. It is marked then, so that nobody looks at it again.
bool stays(Database& db, const Candidate& one) {
    if (!one.is_log || !is_evidence(db, one.digest)) return false;
    touch_content(db, one.digest, kept_s);
    return true;
}

}  // namespace

std::vector<Digest> list_evictable(Database& db, std::int64_t max_bytes, int limit) {
    auto over =
        db.find<std::int64_t>("SELECT SUM(size_bytes) FROM content").value_or(0) - max_bytes;
    std::vector<Digest> evictable;
    for (auto& [digest, size_bytes] : list_released(db, limit)) {
        evictable.push_back(std::move(digest));
        over -= size_bytes;
    }
    if (over <= 0) return evictable;
    const std::set<Digest> released(evictable.begin(), evictable.end());
    for (const auto& one : db.all<Candidate>(select_evictable, nights_kept, limit, kept_s)) {
        if (over <= 0) break;
        if (released.contains(one.digest)) continue;
        if (stays(db, one)) continue;
        evictable.push_back(one.digest);
        over -= one.size_bytes;
    }
    return evictable;
}

std::vector<Digest> list_unused(Database& db, ContentKind kind, std::int64_t before_s, int limit) {
    std::vector<Digest> unused;
    for (const auto& one : db.all<Candidate>(
             with_kept + "SELECT digest, size_bytes, kind = 'log' FROM content WHERE kind = ?3 "
                         "AND used_at_s > 0 AND used_at_s < ?4 AND digest NOT IN kept "
                         "ORDER BY used_at_s, digest LIMIT ?2",
             nights_kept,
             limit,
             kind,
             before_s)) {
        if (!stays(db, one)) unused.push_back(one.digest);
    }
    return unused;
}

namespace {

void note_dropped(Database& db, const Digest& digest, DropReason reason, std::int64_t now_s) {
    constexpr std::int64_t day_s = 86'400;
    db.execute(
        "INSERT INTO dropped_content(day, kind, reason, files, bytes) "
        "SELECT ?2, kind, ?3, 1, size_bytes FROM content WHERE digest = ?1 "
        "ON CONFLICT(day, kind, reason) DO UPDATE SET files = files + 1, "
        "bytes = bytes + excluded.bytes",
        digest,
        now_s / day_s,
        reason);
}

}  // namespace

std::vector<Digest> drop_content(Database& db, const ContentLimits& limits, std::int64_t now_s) {
    constexpr int most = 1000;  // at a time, of each reason
    std::vector<Digest> gone;
    const auto drop = [&](const Digest& digest, DropReason reason) {
        note_dropped(db, digest, reason, now_s);
        forget_content(db, digest);
        gone.push_back(digest);
    };
    for (const auto& one : list_released(db, most)) drop(one.digest, DropReason::run_gone);
    for (const auto& [kind, unused_s] : limits.unused_s) {
        for (const auto& digest : list_unused(db, kind, now_s - unused_s, most)) {
            drop(digest, DropReason::unused);
        }
    }
    for (const auto& digest : list_evictable(db, limits.max_bytes, most)) {
        drop(digest, DropReason::no_room);
    }
    return gone;
}

void forget_content(Database& db, const Digest& digest) {
    db.execute("DELETE FROM content WHERE digest = ?1", digest);
    db.execute("DELETE FROM product WHERE digest = ?1", digest);
    db.execute(
        "UPDATE build SET input_digest = NULL WHERE input_digest = ?1 "
        "AND input_kind = 'source_tree'",
        digest);
    // An archive does not come back: a job that asked for it would wait for ever.
    db.execute(
        "UPDATE build SET input_error = ?2 WHERE input_digest = ?1 AND input_kind = 'archive'",
        digest,
        archive_removed);
}

std::vector<Digest> list_unknown(Database& db, const std::vector<Digest>& stored) {
    std::vector<Digest> unknown;
    for (const auto& digest : stored) {
        if (!db.find<int>("SELECT 1 FROM content WHERE digest = ?1", digest)) {
            unknown.push_back(digest);
        }
    }
    return unknown;
}

}  // namespace vigil::service
