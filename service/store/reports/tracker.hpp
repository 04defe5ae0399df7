#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/store/database.hpp"

// The tables `tracker_write` and `tracker_quiet`, how fast a tracker's server was written to and
// what it asked for, `circuit`, which receivers do not answer, and `marker_key`, by which a ledger
// knows its own issues. Times are steady.

namespace vigil::service {

/// What a request to a tracker is for.
enum class TrackerShare {
    report,    ///< an issue, a comment that the outbox has, the check of a night
    check,     ///< of a pull request: its check run and its comment
    answer,    ///< to a command
    question,  ///< it reads, and writes nothing
    stranger   ///< a question for somebody whom the tracker calls no member; kept as a question
};

struct TrackerWrite {
    std::int64_t at_ms = 0;
    TrackerShare share = TrackerShare::report;
    bool open = false;  ///< its end was not seen yet
};
/// Oldest first.
std::vector<TrackerWrite> list_writes(Database& db, const std::string& server);

/// Forgets the ended writes that lie outside of `after_ms` < at <= `until_ms`.
void drop_writes_outside(
    Database& db, const std::string& server, std::int64_t after_ms, std::int64_t until_ms);

/// A message that is on its way, as far as others wait for it.
struct OpenWrite {
    std::string receiver;
    std::string target;
    std::int64_t id = 0;  ///< of its write; 0: no pace is kept of the receiver
};

/// An open one. @return  its id
std::int64_t add_write(
    Database& db, const std::string& server, TrackerShare share, std::int64_t at_ms);
void end_write(Database& db, std::int64_t write, std::int64_t at_ms);
void end_open_writes(Database& db, std::int64_t at_ms);
void drop_write(Database& db, std::int64_t write);

/// Until when a server wants to be left alone; nullopt: it never asked.
std::optional<std::int64_t> find_quiet_until_s(Database& db, const std::string& server);
void note_quiet(Database& db, const std::string& server, std::int64_t until_s);

/// A receiver to whom nobody answered.
struct Circuit {
    int failures = 0;          ///< attempts in a row
    std::int64_t until_s = 0;  ///< nothing is sent before
};
/// None: it answered the last time, or nothing was sent yet.
Circuit find_circuit(Database& db, const std::string& receiver);
void write_circuit(Database& db, const std::string& receiver, const Circuit& circuit);

/// What tells this ledger from others.
struct LedgerSecret {
    std::string key;            ///< 64 hex digits
    std::string first_project;  ///< its name and when it came; empty: there is none yet
};
LedgerSecret load_ledger_secret(Database& db);

}  // namespace vigil::service
