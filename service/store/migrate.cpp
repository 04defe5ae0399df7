#include "service/store/migrate.hpp"

#include "schema/sql/migrations.hpp"

namespace vigil::service {

int schema_version(Database& database) {
    return database.find<int>("PRAGMA user_version").value_or(0);
}

namespace {

void take_to(Database& writer, int version, const char* script) {
    Transaction transaction(writer);
    writer.execute_script(script);
    // A PRAGMA takes no bound value.
    writer.execute_script("PRAGMA user_version = " + std::to_string(version));
    transaction.commit();
}

}  // namespace

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
    if (found == 0 && !writer.has("SELECT 1 FROM sqlite_schema")) {
        take_to(writer, newest, sql::newest());
        return newest;
    }
    int done = 0;
    for (const auto& migration : all) {
        if (migration.version <= found) continue;
        take_to(writer, migration.version, migration.sql);
        ++done;
    }
    return done;
}

}  // namespace vigil::service
