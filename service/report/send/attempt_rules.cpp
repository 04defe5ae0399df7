#include "service/report/send/attempt_rules.hpp"

#include <algorithm>

#include "schema/model/error.hpp"

namespace vigil::service {

SendReply sent(std::string external_ref) {
    SendReply reply;
    reply.outcome = SendOutcome::sent;
    reply.external_ref = std::move(external_ref);
    return reply;
}

SendReply later(std::string message) {
    SendReply reply;
    reply.message = std::move(message);
    return reply;
}

SendReply unanswered(std::string message) {
    auto reply = later(std::move(message));
    reply.unanswered = true;
    return reply;
}

SendReply look_again(std::int64_t until_s, std::string message) {
    auto reply = later(std::move(message));
    reply.outcome = SendOutcome::wait;
    reply.may_exist = true;
    reply.not_before_s = until_s;
    return reply;
}

Circuit next_circuit(const Circuit& before, const SendReply& reply, std::int64_t now_s) {
    if (!reply.unanswered) return {};
    const int failures = before.failures + 1;
    return {failures, now_s + std::min(back_off_s(failures), longest_circuit_s)};
}

bool is_open(const Circuit& circuit) {
    return circuit.failures >= failures_to_open;
}

bool holds_back(const Circuit& circuit, std::int64_t now_s) {
    // What lies further ahead was written before somebody set the clock back.
    return circuit.until_s > now_s && circuit.until_s <= now_s + longest_circuit_s;
}

std::int64_t back_off_s(int attempts, std::int64_t first_s) {
    VIGIL_ASSERT(attempts >= 1);
    const int doublings = std::min(attempts - 1, 20);
    return std::min(first_s << doublings, max_back_off_s);
}

OutboxRow begin_attempt(const OutboxRow& row, std::int64_t now_s) {
    VIGIL_ASSERT(row.state == OutboxState::pending);
    OutboxRow begun = row;
    ++begun.attempts;
    begun.ambiguous = true;
    begun.in_flight = true;
    begun.next_attempt_at_s = now_s + in_flight_s;
    return begun;
}

OutboxRow resume_attempt(const OutboxRow& begun, std::int64_t now_s) {
    OutboxRow row = begun;
    row.attempts = std::max(row.attempts - 1, 0);
    row.in_flight = false;
    row.next_attempt_at_s = now_s;
    if (row.external_ref.empty()) {
        ++row.filings;
        row.filed_at_s = now_s;
    }
    return row;
}

OutboxRow end_attempt(const OutboxRow& begun, const SendReply& reply, std::int64_t now_s) {
    OutboxRow row = begun;
    row.message = reply.message;
    row.in_flight = false;
    if (reply.came_further) {
        row.attempts = std::max(row.attempts - row.in_vain, 1);  // this one
        row.in_vain = 0;
    }
    row.in_vain += reply.in_vain ? 1 : 0;
    row.ambiguous = reply.may_exist && reply.outcome != SendOutcome::sent;
    if (!reply.external_ref.empty()) row.external_ref = reply.external_ref;
    if (reply.filed) {
        ++row.filings;
        row.filed_at_s = now_s;
    }
    const std::int64_t latest = now_s + max_wait_s;
    const auto after = [&](std::int64_t wait_s) {
        const std::int64_t asked = reply.not_before_s.value_or(0);
        return std::min(std::max(now_s + wait_s, asked), latest);
    };
    switch (reply.outcome) {
        case SendOutcome::sent:
            row.state = OutboxState::sent;
            row.next_attempt_at_s = now_s;
            return row;
        case SendOutcome::refused:
            row.state = OutboxState::dead;
            row.next_attempt_at_s = now_s;
            return row;
        case SendOutcome::wait:
            --row.attempts;
            row.next_attempt_at_s = after(reply.not_before_s ? 1 : default_wait_s);
            return row;
        case SendOutcome::slower:
            row.next_attempt_at_s = after(back_off_s(row.attempts, default_wait_s));
            break;
        case SendOutcome::later: row.next_attempt_at_s = after(back_off_s(row.attempts)); break;
    }
    if (row.attempts >= max_send_attempts) row.state = OutboxState::dead;
    return row;
}

}  // namespace vigil::service
