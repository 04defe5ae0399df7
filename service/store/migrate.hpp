#pragma once

#include "service/store/database.hpp"

namespace vigil::service {

/// Brings the ledger's schema up to this program's, each migration in a transaction of its own.
/// A new ledger gets what they all lead to in one step.
/// Called once at start, by the writer, before any lane exists.
/// @return  how many versions it went up; 0 when the schema was current
/// @throws  Error{conflict} when a newer program wrote the ledger
int migrate(Database& writer);

/// The schema's version (PRAGMA user_version); 0 for an empty file.
int schema_version(Database& database);

}  // namespace vigil::service
