#pragma once

#include <span>

#include "schema/sql/schema.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Brings the ledger's schema up to this program's, each upgrade in a transaction of its own. A new
/// ledger is made in one step.
/// Called once at start, by the writer, before any lane exists.
/// @param upgrades  in ascending order; a test has others
/// @return  how many versions it went up; 0 when the schema was current
/// @throws  Error{conflict} when a newer program wrote the ledger, or one that is too old: the
/// words
///          say what to start
int migrate(Database& writer, std::span<const sql::Upgrade> upgrades = sql::upgrades());

/// The schema's version (PRAGMA user_version); 0 for an empty file.
int schema_version(Database& database);

}  // namespace vigil::service
