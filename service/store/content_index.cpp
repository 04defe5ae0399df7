#include "service/store/content_index.hpp"

namespace vigil::service {

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
}

void touch_content(Database& db, const Digest& digest, std::int64_t now_s) {
    db.execute("UPDATE content SET used_at_s = ?2 WHERE digest = ?1", digest, now_s);
}

std::vector<Digest> list_evictable(Database& db, std::int64_t max_bytes, int limit) {
    auto over =
        db.find<std::int64_t>("SELECT SUM(size_bytes) FROM content").value_or(0) - max_bytes;
    std::vector<Digest> evictable;
    if (over <= 0) return evictable;
    auto rows = db.query(
        "WITH needed AS (SELECT b.id FROM job j JOIN job_build jb ON jb.job_id = j.id "
        "JOIN build b ON b.id = jb.build_id WHERE j.state IN ('queued', 'leased')) "
        "SELECT digest, size_bytes FROM content c WHERE NOT EXISTS (SELECT 1 FROM build b "
        "WHERE b.input_digest = c.digest AND b.id IN needed) AND NOT EXISTS (SELECT 1 "
        "FROM product p WHERE p.digest = c.digest AND p.build_id IN needed) "
        "ORDER BY CASE kind WHEN 'source' THEN 0 WHEN 'product' THEN 1 WHEN 'log' THEN 2 "
        "ELSE 3 END, used_at_s LIMIT ?1",
        limit);
    while (over > 0 && rows.next()) {
        evictable.push_back(rows.get<Digest>(0));
        over -= rows.get<std::int64_t>(1);
    }
    return evictable;
}

void forget_content(Database& db, const Digest& digest) {
    db.execute("DELETE FROM content WHERE digest = ?1", digest);
    db.execute("DELETE FROM product WHERE digest = ?1", digest);
    db.execute(
        "UPDATE build SET input_digest = NULL WHERE input_digest = ?1 "
        "AND input_kind = 'source_tree'",
        digest);
}

}  // namespace vigil::service
