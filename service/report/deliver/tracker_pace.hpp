#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

constexpr std::string_view undelivered_kind = "report.undelivered";
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

/// Who takes what goes to a target: name and port of its server, as far as they are known. What
/// goes to one receiver shares a lane and a circuit, and where it is a tracker a pace.
std::string receiver_of(const ReportTarget& target);

/// The target of this name, where it is a tracker that the config has.
const ReportTarget* find_tracker(const Config& config, const std::string& name);

/// Takes the next turn of `target` where its circuit lets one through, and the next write to a
/// tracker where the pace and the server's own wishes allow one now. One write and one question of
/// a server may be open at a time.
std::optional<OpenWrite> begin_write(
    Database& db, const ReportTarget& target, TrackerShare share, std::int64_t now_ms);

/// Nothing was sent.
void cancel_write(Database& db, const OpenWrite& write);

/// What became of it, by what was answered; the silence that the server asks for is kept. A
/// receiver that does not answer is the trouble "report.undelivered" of the target while its
/// circuit is open. @param now  after the attempt
void end_paced_write(
    Database& db, const OpenWrite& write, const SendReply& reply, const Moment& now);

/// The circuit of a receiver before and after an attempt.
struct CircuitMove {
    Circuit before, after;
};
/// Keeps what an attempt says of its receiver.
CircuitMove move_circuit(
    Database& db, const std::string& receiver, const SendReply& reply, std::int64_t steady_s);

/// Receivers tell the time of day.
SendReply in_steady_time(const SendReply& reply, const Moment& now);

/// Ends the write of an attempt. @return  the row after it, in steady time
OutboxRow end_paced_attempt(
    Database& db,
    const OpenWrite& write,
    const OutboxRow& begun,
    const SendReply& reply,
    const Moment& now);

}  // namespace vigil::service
