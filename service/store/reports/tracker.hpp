#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/store/database.hpp"

// The tables `tracker_write` and `tracker_quiet`, how fast a tracker's server was written to and
// what it asked for, and `marker_key`, by which a ledger knows its own issues. Times are steady.

namespace vigil::service {

struct TrackerWrite {
    std::int64_t at_ms = 0;
    bool open = false;  ///< its end was not seen yet; at most one of a server is
};
/// Oldest first.
std::vector<TrackerWrite> list_writes(Database& db, const std::string& server);

/// Forgets the ended writes that lie outside of `after_ms` < at <= `until_ms`.
void drop_writes_outside(
    Database& db, const std::string& server, std::int64_t after_ms, std::int64_t until_ms);

void add_write(Database& db, const std::string& server, std::int64_t at_ms);
/// @param server  nullopt: of all
void end_open_writes(Database& db, const std::optional<std::string>& server, std::int64_t at_ms);
void drop_open_write(Database& db, const std::string& server);

/// Until when a server wants to be left alone; nullopt: it never asked.
std::optional<std::int64_t> find_quiet_until_s(Database& db, const std::string& server);
void note_quiet(Database& db, const std::string& server, std::int64_t until_s);

/// What tells this ledger from others.
struct LedgerSecret {
    std::string key;            ///< 64 hex digits
    std::string first_project;  ///< its name and when it came; empty: there is none yet
};
LedgerSecret load_ledger_secret(Database& db);

}  // namespace vigil::service
