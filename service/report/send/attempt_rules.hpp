#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/store/reports/outbox.hpp"
#include "service/store/reports/tracker.hpp"

// How a message of the outbox goes from pending to sent or dead. Pure functions. Its times are
// steady time.

namespace vigil::service {

/// What came of one attempt to deliver.
enum class SendOutcome {
    sent,   ///< it is there; the reference says where
    later,  ///< trying again may help
    /// The receiver said how long to wait, or we wait to be sure, or a search is on its way: not an
    /// attempt.
    wait,
    slower,   ///< too fast, or not allowed; it does not say how long: a minute first, then more
    refused,  ///< it will never be accepted
};

struct SendReply {
    SendOutcome outcome = SendOutcome::later;
    std::string external_ref;  ///< when sent: issue URL, file path
    std::string address;       ///< when sent, of a comment: for people
    std::string message;       ///< one line for a person, when not sent
    std::optional<std::int64_t> not_before_s = std::nullopt;  ///< UTC; the receiver asked for it
    bool unanswered = false;  ///< nobody answered: no connection, a time-out, a cut
    bool may_exist = false;   ///< not known to be sent, but it may be there: look before sending
    /// A request that counts for its share went out, or may have: one that changes something, or a
    /// question.
    bool wrote = false;
    bool filed = false;     ///< this attempt filed it, or may have
    bool unwanted = false;  ///< refused, and nobody waits for it
    bool in_vain = false;   ///< its search failed and came no further
    /// Its search came further, or to its end: the attempts that it failed before do not count.
    bool came_further = false;
    /// UTC; until then its host wants nothing of us, whatever the message
    std::optional<std::int64_t> quiet_until_s = std::nullopt;
};
SendReply sent(std::string external_ref);
SendReply later(std::string message);
/// The same where nobody answered.
SendReply unanswered(std::string message);
/// Nothing more is known before `until_s`, UTC; it is no attempt.
SendReply look_again(std::int64_t until_s, std::string message);

constexpr int max_send_attempts = 20;  ///< about 14 hours with the back-off below
constexpr std::int64_t first_back_off_s = 5;
constexpr std::int64_t max_back_off_s = 3600;
constexpr std::int64_t default_wait_s = 60;  ///< when the receiver asks to wait, not how long
/// What was filed is in the tracker's lists by then. They lag by half a minute, and a request that
/// timed out may still be carried out.
constexpr std::int64_t settle_s = 90;
/// After a second filing: when to look whether the first arrived all the same.
constexpr std::int64_t twin_check_s = 600;
/// Then nothing more is carried out late, and a look for twins that fails is not repeated.
constexpr std::int64_t twin_limit_s = 86'400;
constexpr std::int64_t max_wait_s = 6 * 3600;  ///< no receiver makes us wait longer
constexpr std::int64_t in_flight_s = 15 * 60;  ///< longer than any attempt can take

/// How long to wait after the n-th failed attempt: doubles from `first_s` up to an hour.
/// @param attempts  >= 1
std::int64_t back_off_s(int attempts, std::int64_t first_s = first_back_off_s);

constexpr int failures_to_open = 3;              ///< of a circuit
constexpr std::int64_t longest_circuit_s = 600;  ///< a receiver that is back is noticed by then

/// The circuit of a receiver after an attempt: as long as nobody answers, one message is tried at a
/// time, ever more rarely, and the others wait without an attempt of theirs.
Circuit next_circuit(const Circuit& before, const SendReply& reply, std::int64_t now_s);
/// Whether so many attempts failed in a row that it is said aloud.
bool is_open(const Circuit& circuit);
/// Whether nothing may be sent now.
bool holds_back(const Circuit& circuit, std::int64_t now_s);

/// The row as it must stand in the ledger *before* anything is sent: a crash from here on finds it
/// ambiguous and looks first.
OutboxRow begin_attempt(const OutboxRow& row, std::int64_t now_s);

/// The row of an attempt that began and whose end nobody saw: due at once, and it may have filed.
/// That the daemon ended says nothing of the receiver: not an attempt.
OutboxRow resume_attempt(const OutboxRow& begun, std::int64_t now_s);

/// The row after the attempt that began with begin_attempt.
OutboxRow end_attempt(const OutboxRow& begun, const SendReply& reply, std::int64_t now_s);

}  // namespace vigil::service
