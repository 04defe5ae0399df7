#pragma once

#include <span>
#include <vector>

namespace vigil::sql {

/// The ledger's version (`PRAGMA user_version`) before the first upgrade.
constexpr int first_version = 100;

/// Builds before version 100 walked numbered patches, of which this was the last. Its schema is
/// that of version 100.
constexpr int last_patch = 67;

/// SHA-256 of `shape` (service/store/migrate.cpp) of that schema.
constexpr const char* last_patch_shape =
    "2bc4d474eeb5535aff2110c87938bd8d119f640c3cfa33fb5111581dd9c95f7b";

/// One numbered step from a version of the ledger to the next.
struct Upgrade {
    int version;  ///< that it leads to
    const char* name;
    const char* sql;
};

/// Every upgrade, in ascending order, embedded at build time from schema/sql/upgrades/NNNN_*.sql.
std::span<const Upgrade> upgrades();

/// What makes an empty database a ledger, with its first rows, embedded at build time from
/// schema/sql/ledger: a file for each store. It is what all upgrades lead to.
const char* ledger();

}  // namespace vigil::sql
