#include "service/store/migrate.hpp"

#include <string>

#include "schema/wire/digest.hpp"

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

/// Names of all that the schema holds, with the columns of each table.
std::string shape(Database& db) {
    return db
        .find<std::string>(
            "SELECT group_concat(line, char(10)) FROM (SELECT s.type || ' ' || s.name || ' ' || "
            "s.tbl_name || ': ' || ifnull((SELECT group_concat(c.name || ' ' || c.type || ' ' || "
            "c.\"notnull\" || c.pk || c.hidden || ' ' || ifnull(c.dflt_value, ''), ', ') "
            "FROM pragma_table_xinfo(s.name) c WHERE s.type = 'table'), '') AS line "
            "FROM sqlite_schema s WHERE s.name NOT LIKE 'sqlite_%' ORDER BY 1)")
        .value_or("");
}

/// The schema of the last patch is that of the first version: only the number changes.
void take_over(Database& writer, int found) {
    const auto last = std::to_string(sql::last_patch);
    if (found != sql::last_patch) {
        throw Error(
            Errc::conflict,
            "the ledger has schema version " + std::to_string(found) +
                ", which this program cannot upgrade: install the last build of schema version " +
                last + ", start it once, and then this one");
    }
    if (wire::sha256(shape(writer)).str() != sql::last_patch_shape) {
        throw Error(
            Errc::conflict,
            "the ledger says that it has schema version " + last +
                ", and its tables are others: it was changed by hand, or by a build that was never "
                "released; restore a backup from before that");
    }
    take_to(writer, sql::first_version, "");
}

}  // namespace

int migrate(Database& writer, std::span<const sql::Upgrade> upgrades) {
    const int newest = upgrades.empty() ? sql::first_version : upgrades.back().version;
    const int found = schema_version(writer);
    if (found > newest) {
        throw Error(
            Errc::conflict,
            "the ledger has schema version " + std::to_string(found) + ", this program knows " +
                std::to_string(newest) + ": it was written by a newer Vigil; upgrade this one");
    }
    if (found == 0 && !writer.has("SELECT 1 FROM sqlite_schema")) {
        take_to(writer, newest, sql::ledger());
        return newest;
    }
    int done = 0;
    if (found < sql::first_version) {
        take_over(writer, found);
        ++done;
    }
    for (const auto& upgrade : upgrades) {
        if (upgrade.version <= found) continue;
        take_to(writer, upgrade.version, upgrade.sql);
        ++done;
    }
    return done;
}

}  // namespace vigil::service
