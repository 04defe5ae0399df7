#include "service/store/object_copies.hpp"

namespace vigil::service {

CopyWork begin_copies(Database& db, const std::string& bucket, std::int64_t max_bytes, int limit) {
    CopyWork work;
    auto gone = db.query(
        "SELECT digest FROM object_copy WHERE bucket = ?1 "
        "AND digest NOT IN (SELECT digest FROM content) LIMIT ?2",
        bucket,
        limit);
    while (gone.next()) work.remove.push_back(gone.get<Digest>(0));
    auto missing = db.query(
        "SELECT digest FROM content c WHERE kind IN ('artifact', 'product') AND +size_bytes <= ?2 "
        "AND NOT EXISTS (SELECT 1 FROM object_copy o WHERE o.bucket = ?1 AND o.digest = c.digest "
        "AND o.sent_at_s IS NOT NULL) ORDER BY created_at_s DESC, digest LIMIT ?3",
        bucket,
        max_bytes,
        limit);
    while (missing.next()) work.send.push_back(missing.get<Digest>(0));
    for (const auto& digest : work.send) {
        db.execute(
            "INSERT INTO object_copy(bucket, digest) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            bucket,
            digest);
    }
    for (const auto& digest : work.remove) {
        db.execute(
            "UPDATE object_copy SET sent_at_s = NULL WHERE bucket = ?1 AND digest = ?2",
            bucket,
            digest);
    }
    return work;
}

void note_copied(
    Database& db, const std::string& bucket, const Digest& digest, std::int64_t now_s) {
    db.execute(
        "UPDATE object_copy SET sent_at_s = ?3 WHERE bucket = ?1 AND digest = ?2",
        bucket,
        digest,
        now_s);
}

void forget_copy(Database& db, const std::string& bucket, const Digest& digest) {
    db.execute("DELETE FROM object_copy WHERE bucket = ?1 AND digest = ?2", bucket, digest);
}

bool has_copy(Database& db, const std::string& bucket, const Digest& digest) {
    return db
        .find<int>(
            "SELECT 1 FROM object_copy WHERE bucket = ?1 AND digest = ?2 "
            "AND sent_at_s IS NOT NULL",
            bucket,
            digest)
        .has_value();
}

}  // namespace vigil::service
