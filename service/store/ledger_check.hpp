#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "service/store/database.hpp"

namespace vigil::service {

/// What a look at the ledger's pages and references found.
struct LedgerCheck {
    std::vector<std::string> faults;  ///< one line each; empty: none was met
    int tables = 0;
    int checked = 0;  ///< of these; the others are too large for the time
};

/// Checks table by table that its pages are sound and that what its rows refer to is there, until
/// the time is over; a table that takes longer than a second is left out. It reads by a connection
/// of its own, so no other reader waits, and no snapshot of it grows old. What is left out, a
/// backup checks, which has the whole ledger (deploy/backup).
/// @param first  of the tables, counted on where there are fewer: another one each time, so that in
///     time all are met that fit
LedgerCheck check_tables(Database& db, std::chrono::milliseconds at_most, std::int64_t first);

}  // namespace vigil::service
