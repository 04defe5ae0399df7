#include "service/store/reports/tracker.hpp"

namespace vigil::service {

std::vector<TrackerWrite> list_writes(Database& db, const std::string& server) {
    return db.all<TrackerWrite>(
        "SELECT at_ms, share, open FROM tracker_write WHERE server = ?1 ORDER BY at_ms, id",
        server);
}

void drop_writes_outside(
    Database& db, const std::string& server, std::int64_t after_ms, std::int64_t until_ms) {
    db.execute(
        "DELETE FROM tracker_write WHERE server = ?1 AND open = 0 AND (at_ms <= ?2 OR at_ms > ?3)",
        server,
        after_ms,
        until_ms);
}

std::int64_t add_write(
    Database& db, const std::string& server, TrackerShare share, std::int64_t at_ms) {
    db.execute(
        "INSERT INTO tracker_write(server, share, at_ms, open) VALUES (?1, ?2, ?3, 1)",
        server,
        share,
        at_ms);
    return db.last_insert_id();
}

void end_write(Database& db, std::int64_t write, std::int64_t at_ms) {
    db.execute("UPDATE tracker_write SET at_ms = ?2, open = 0 WHERE id = ?1", write, at_ms);
}

void end_open_writes(Database& db, std::int64_t at_ms) {
    db.execute("UPDATE tracker_write SET at_ms = ?1, open = 0 WHERE open = 1", at_ms);
}

void drop_write(Database& db, std::int64_t write) {
    db.execute("DELETE FROM tracker_write WHERE id = ?1", write);
}

std::optional<std::int64_t> find_quiet_until_s(Database& db, const std::string& server) {
    return db.find<std::int64_t>("SELECT until_s FROM tracker_quiet WHERE server = ?1", server);
}

void note_quiet(Database& db, const std::string& server, std::int64_t until_s) {
    db.execute(
        "INSERT INTO tracker_quiet(server, until_s) VALUES (?1, ?2) "
        "ON CONFLICT (server) DO UPDATE SET until_s = excluded.until_s",
        server,
        until_s);
}

Circuit find_circuit(Database& db, const std::string& receiver) {
    return db.first<Circuit>("SELECT failures, until_s FROM circuit WHERE receiver = ?1", receiver)
        .value_or(Circuit{});
}

void write_circuit(Database& db, const std::string& receiver, const Circuit& circuit) {
    if (circuit.failures == 0) {
        db.execute("DELETE FROM circuit WHERE receiver = ?1", receiver);
        return;
    }
    db.execute(
        "INSERT INTO circuit(receiver, failures, until_s) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (receiver) DO UPDATE SET failures = ?2, until_s = ?3",
        receiver,
        circuit);
}

LedgerSecret load_ledger_secret(Database& db) {
    const auto key = db.find<std::string>("SELECT key FROM marker_key");
    VIGIL_ASSERT(key.has_value());
    const auto first =
        db.find<std::string>("SELECT name || ':' || created_at_s FROM project ORDER BY id LIMIT 1");
    return {*key, first.value_or("")};
}

}  // namespace vigil::service
