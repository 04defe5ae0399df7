#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "service/store/reports/reports.hpp"

namespace vigil::service {

/// By which line of its body a filed report is found again.
struct Marker {
    /// `<!-- vigil:<kind>:<ledger>:<id>:<signature> -->`; only this ledger can make it.
    std::string line;
    /// The same without a signature. Anybody can write it, so it counts only in what our own
    /// account wrote.
    std::string unsigned_line;
};

/// A pure function: the signature is an HMAC-SHA256 of kind, ledger and id, 32 hex digits.
/// @param key   secret of the ledger
/// @param kind  "regression", "night", "trouble", "notice", "comment:ID" or "week:ID"
/// @param ledger  tells ledgers apart, [0-9a-z]+
Marker make_marker(
    std::string_view key, std::string_view kind, std::string_view ledger, std::int64_t id);

/// @param subject  its project counts for a week only
Marker load_marker(Database& db, const ReportSubject& subject);

/// Of a comment or a check run that is kept up to date.
Marker load_notice_marker(Database& db, std::int64_t notice);

/// Whether `line` is a line of `body`; white space around it does not count.
bool has_marker_line(std::string_view body, std::string_view line);

}  // namespace vigil::service
