#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/report/send/attempt_rules.hpp"
#include "service/runtime/clock.hpp"

// How fast trackers are written to: one server is one pace, whatever targets it has, and the pace
// is rows, so that a restart keeps it.

namespace vigil::service {

class Database;

constexpr std::int64_t write_spacing_ms = 1000;
constexpr std::size_t max_writes_a_minute = 80;
constexpr std::size_t max_writes_an_hour = 500;

/// How long to wait before the next write; 0: it may go out. A pure function.
/// @param writes_ms  earlier ones of the last hour, steady time, oldest first
std::int64_t pace_wait_ms(const std::vector<std::int64_t>& writes_ms, std::int64_t now_ms);

/// The pace that a target shares with others: name and port of its server; empty for a target
/// that is no issue tracker.
std::string pace_of(const ReportTarget& target);

/// The target of this name, where it is a tracker that the config has.
const ReportTarget* find_tracker(const Config& config, const std::string& name);

/// Takes the next write of `server` when the pace and the server's own wishes allow one now.
/// One may be open at a time: end_write before the next.
bool begin_write(Database& db, const std::string& server, std::int64_t now_ms);

/// What became of it. @param wrote  false: nothing was written, and it does not count
void end_write(Database& db, const std::string& server, bool wrote, std::int64_t now_ms);

/// The same of what was answered, and the silence that the server asks for is kept.
/// @param server  empty: no pace is kept
/// @param now  after the attempt
void end_paced_write(
    Database& db, const std::string& server, const SendReply& reply, const Moment& now);

/// Ends the write of an attempt. @return  the row after it, in steady time
OutboxRow end_paced_attempt(
    Database& db,
    const std::string& server,
    const OutboxRow& begun,
    const SendReply& reply,
    const Moment& now);

}  // namespace vigil::service
