#include "service/store/troubles.hpp"

#include "schema/log/log.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

bool note_trouble(Database& db, const Trouble& trouble, std::int64_t now_s) {
    const auto known = db.execute(
        "UPDATE trouble SET message = ?3, seen_s = ?4 "
        "WHERE kind = ?1 AND subject = ?2 AND ended_s IS NULL",
        trouble.kind,
        trouble.subject,
        trouble.message,
        now_s);
    if (known > 0) return false;
    db.execute(
        "INSERT INTO trouble(kind, subject, project_id, message, since_s, seen_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
        trouble.kind,
        trouble.subject,
        trouble.project,
        trouble.message,
        now_s);
    record_event(db, now_s, trouble.kind, trouble.project, trouble.subject, trouble.message);
    log_warn(trouble.kind, {{"subject", trouble.subject}, {"message", trouble.message}});
    return true;
}

bool end_trouble(
    Database& db, std::string_view kind, std::string_view subject, std::int64_t now_s) {
    const auto ended = db.execute(
        "UPDATE trouble SET ended_s = ?3, seen_s = ?3 "
        "WHERE kind = ?1 AND subject = ?2 AND ended_s IS NULL",
        kind,
        subject,
        now_s);
    if (ended == 0) return false;
    record_event(db, now_s, "trouble.ended", std::nullopt, subject, std::string(kind) + " ended");
    log_info("trouble.ended", {{"kind", kind}, {"subject", subject}});
    return true;
}

void set_trouble(Database& db, const Trouble& trouble, bool lasts, std::int64_t now_s) {
    lasts ? note_trouble(db, trouble, now_s)
          : end_trouble(db, trouble.kind, trouble.subject, now_s);
}

std::vector<Trouble> list_troubles(Database& db, std::string_view kind) {
    return db.all<Trouble>(
        "SELECT kind, subject, project_id, message, since_s, seen_s FROM trouble "
        "WHERE ended_s IS NULL AND (?1 = '' OR kind = ?1) ORDER BY since_s, id",
        kind);
}

std::vector<OpenTroubles> count_open_troubles(Database& db) {
    return db.all<OpenTroubles>(
        "SELECT kind, count(*) FROM trouble WHERE ended_s IS NULL GROUP BY kind ORDER BY kind");
}

std::vector<TroubleOwner> list_trouble_owners(Database& db) {
    return db.all<TroubleOwner>(
        "SELECT t.kind, t.subject, p.name, w.name, EXISTS (SELECT 1 FROM outbox o "
        "WHERE o.state = 'pending' AND 'target/' || o.target = t.subject) FROM trouble t "
        "LEFT JOIN project p ON p.id = t.project_id "
        "LEFT JOIN worker w ON 'worker/' || w.id = t.subject WHERE t.ended_s IS NULL");
}

}  // namespace vigil::service
