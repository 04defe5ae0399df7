#include "service/store/ledger_check.hpp"

#include <optional>

#include "schema/text/lines.hpp"

namespace vigil::service {

namespace {

constexpr std::chrono::milliseconds most_of_a_table{1000};
constexpr std::size_t most_faults = 20;
constexpr std::size_t most_fault_bytes = 300;

/// @return  false: it takes too long
bool check_table(Database& db, const std::string& table, std::vector<std::string>& faults) {
    const auto add = [&](const std::string& words) {
        if (faults.size() < most_faults) {
            faults.push_back("table " + table + ": " + text::one_line(words, most_fault_bytes));
        }
    };
    try {
        for (const auto& said :
             db.all<std::string>("SELECT quick_check FROM pragma_quick_check(?1)", table)) {
            if (said != "ok") add(said);
        }
        constexpr int most_shown = 5;
        for (const auto& parent : db.all<std::string>(
                 "SELECT parent FROM pragma_foreign_key_check(?1) LIMIT ?2", table, most_shown)) {
            add("a row refers to a " + parent + " that is not there");
        }
    } catch (const Error& error) {
        if (error.code() == Errc::unavailable) return false;
        add(error.what());
    }
    return true;
}

}  // namespace

LedgerCheck check_tables(Database& db, std::chrono::milliseconds at_most, std::int64_t first) {
    const auto until = std::chrono::steady_clock::now() + at_most;
    const auto tables = db.all<std::string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
        "ORDER BY name");
    const auto file =
        db.find<std::string>("SELECT file FROM pragma_database_list WHERE name = 'main'");
    std::optional<Database> own;
    if (file && !file->empty()) own = Database::open_reader(*file, most_of_a_table);
    LedgerCheck check;
    check.tables = static_cast<int>(tables.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
        if (std::chrono::steady_clock::now() > until) break;
        const auto at = (static_cast<std::uint64_t>(first) + i) % tables.size();
        check.checked += check_table(own ? *own : db, tables[at], check.faults) ? 1 : 0;
    }
    return check;
}

}  // namespace vigil::service
