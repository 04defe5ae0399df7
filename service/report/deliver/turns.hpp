#pragma once

#include <cstdint>
#include <optional>

#include "service/config/config.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/reports/outbox.hpp"

// When the turn of a message comes, beside the pace of its server.

namespace vigil::service {

constexpr std::int64_t comment_spacing_s = 86'400;  ///< between comments below one issue

/// Whether a regression waits for neither quiet hours nor others: it is large, or does not run.
/// A pure function.
bool is_urgent(const ReportTarget& target, const ToldFact& told);

/// Until when a message waits for others that come with it, and for the end of quiet hours; UTC,
/// nullopt: it goes now. A pure function. @param stored_s  when it was stored
std::optional<std::int64_t> held_until(
    const ReportTarget& target, const ToldFact& told, std::int64_t stored_s, std::int64_t now_s);

struct Turn {
    std::optional<std::int64_t> wait_until_s = {};  ///< steady; nullopt: it is now
    std::int64_t comment_below = 0;                 ///< number of the issue; 0: it is no comment
};

/// @throws Error  it will never be sent, and why
Turn turn_of(Database& db, const ReportTarget& target, const DueRow& due, const Moment& now);

}  // namespace vigil::service
