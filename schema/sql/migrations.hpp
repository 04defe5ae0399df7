#pragma once

#include <span>

namespace vigil::sql {

/// One numbered step of the ledger's schema; `version` is what `PRAGMA user_version` becomes.
struct Migration {
    int version;
    const char* name;
    const char* sql;
};

/// Every migration, in ascending order, embedded at build time from schema/sql/NNNN_*.sql.
std::span<const Migration> migrations();

/// What makes an empty database what all migrations make of it, in one step.
const char* newest();

}  // namespace vigil::sql
