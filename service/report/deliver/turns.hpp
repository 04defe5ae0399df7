#pragma once

#include <cstdint>
#include <optional>

#include "service/config/config.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/reports/outbox.hpp"

// When the turn of a message comes, beside the pace of its server.

namespace vigil::service {

constexpr std::int64_t comment_spacing_s = 86'400;  ///< between comments below one issue

struct Turn {
    std::optional<std::int64_t> wait_until_s = {};  ///< steady; nullopt: it is now
    std::int64_t comment_below = 0;                 ///< number of the issue; 0: it is no comment
};

/// @throws Error  it will never be sent, and why
Turn turn_of(Database& db, const ReportTarget& target, const DueRow& due, const Moment& now);

}  // namespace vigil::service
