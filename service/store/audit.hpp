#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/store/database.hpp"

// Table `audit`: what people and programs changed, in the transaction of each change.

namespace vigil::service {

/// Rows are kept so long, and so many of them.
constexpr std::int64_t audit_kept_s = std::int64_t{730} * 86'400;
constexpr std::int64_t max_audit_rows = 1'000'000;

struct AuditRow {
    std::int64_t at_s = 0;
    std::string who;                    ///< the token's name
    std::string address;                ///< it came from; empty: the daemon itself
    std::string action;                 ///< "regression.state"
    std::string object;                 ///< "regression/7"
    std::string reason;                 ///< empty: none was given
    std::string asked;                  ///< JSON: the rest of what was asked
    std::string request_id;             ///< as in the reply and in the log
    std::optional<TokenId> token = {};  ///< whose name that is; nothing: no token's
};

void add_audit(Database& db, const AuditRow& row);

/// Forgets what was done before `before_s`, and all but the newest `most` rows.
void forget_audit(Database& db, std::int64_t before_s, std::int64_t most = max_audit_rows);

}  // namespace vigil::service
