#pragma once

#include <cstdint>

#include "service/report/deliver/outbox.hpp"

namespace vigil::service {

/// Takes over into the row what earlier versions came to, and says what to send.
Envelope envelope_of(Database& db, DueRow& due, const Moment& now);

/// What a row is about, but for its address.
MessageAbout about_of(const DueRow& due);

/// How far the time of day is ahead of the ledger's steady time.
inline std::int64_t ahead_s(const Moment& now) {
    return now.now_s - now.steady_s;
}

}  // namespace vigil::service
