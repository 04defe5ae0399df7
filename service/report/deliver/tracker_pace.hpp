#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/report/send/attempt_rules.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/reports/tracker.hpp"

// How fast trackers are written to: one server is one pace, whatever targets it has, and the pace
// is rows, so that a restart keeps it. Reports, checks and answers have a share each, so that no
// number of one kind keeps another from being written.

namespace vigil::service {

class Database;

constexpr std::int64_t write_spacing_ms = 1000;
constexpr std::size_t max_writes_a_minute = 80;
constexpr std::size_t max_writes_an_hour = 500;

/// Of these, what a share is kept whatever the others do. What is left is for all.
struct KeptWrites {
    std::size_t a_minute = 0;
    std::size_t an_hour = 0;
};
/// What of a share is kept; of questions, which are no writes, what there may be.
KeptWrites kept_writes(TrackerShare share);

/// Whether one more of this share may go out. A pure function.
/// @param past  those of the last hour, steady time
bool has_turn(const std::vector<TrackerWrite>& past, TrackerShare share, std::int64_t now_ms);

/// The pace that a target shares with others: name and port of its server; empty for a target
/// that is no issue tracker.
std::string pace_of(const ReportTarget& target);

/// The target of this name, where it is a tracker that the config has.
const ReportTarget* find_tracker(const Config& config, const std::string& name);

/// Takes the next write to `target` when the pace and the server's own wishes allow one now. One
/// write and one question of a server may be open at a time.
std::optional<OpenWrite> begin_write(
    Database& db, const ReportTarget& target, TrackerShare share, std::int64_t now_ms);

/// Nothing was sent.
void cancel_write(Database& db, const OpenWrite& write);

/// What became of it, by what was answered; the silence that the server asks for is kept.
/// @param now  after the attempt
void end_paced_write(
    Database& db, const OpenWrite& write, const SendReply& reply, const Moment& now);

/// Ends the write of an attempt. @return  the row after it, in steady time
OutboxRow end_paced_attempt(
    Database& db,
    const OpenWrite& write,
    const OutboxRow& begun,
    const SendReply& reply,
    const Moment& now);

}  // namespace vigil::service
