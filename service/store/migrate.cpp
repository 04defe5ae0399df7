#include "service/store/migrate.hpp"

#include "schema/sql/migrations.hpp"

namespace vigil::service {

int schema_version(Database& database) {
    return database.find<int>("PRAGMA user_version").value_or(0);
}

int migrate(Database& writer) {
    const auto all = sql::migrations();
    const int newest = all.empty() ? 0 : all.back().version;
    const int found = schema_version(writer);
    if (found > newest) {
        throw Error(
            Errc::conflict,
            "the ledger has schema version " + std::to_string(found) + ", this program knows " +
                std::to_string(newest) + ": it was written by a newer Vigil; upgrade this one");
    }
    int done = 0;
    for (const auto& migration : all) {
        if (migration.version <= found) continue;
        Transaction transaction(writer);
        writer.execute_script(migration.sql);
        // A PRAGMA takes no bound value.
        writer.execute_script("PRAGMA user_version = " + std::to_string(migration.version));
        transaction.commit();
        ++done;
    }
    return done;
}

}  // namespace vigil::service
