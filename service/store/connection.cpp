#include "service/store/connection.hpp"

#include <new>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "service/store/named_states.hpp"

namespace vigil::service::detail {

namespace {

constexpr int steps_between_checks = 10'000;

Errc errc_of(int code) {
    switch (code & 0xff) {
        case SQLITE_CONSTRAINT: return Errc::conflict;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
        case SQLITE_INTERRUPT: return Errc::unavailable;
        case SQLITE_TOOBIG: return Errc::invalid_argument;
        default: return Errc::internal;
    }
}

std::string advice_for(int code) {
    switch (code & 0xff) {
        case SQLITE_FULL: return "; the disk is full: free some space, nothing stored is lost";
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return "; another connection holds the ledger, try again";
        case SQLITE_INTERRUPT: return "; the query took too long, ask for less";
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return "; restore the ledger from a backup";
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN: return "; check the disk and the folder's permissions";
        default: return "";
    }
}

// SQLite calls this between steps of a long statement; not 0 stops it.
int stop_old_snapshot(void* connection) {
    const auto& self = *static_cast<const SqliteConnection*>(connection);
    return std::chrono::steady_clock::now() > self.deadline ? 1 : 0;
}

std::string excerpt(std::string_view sql) {
    constexpr std::size_t limit = 100;
    std::string text(sql.substr(0, limit));
    for (char& c : text) {
        if (c == '\n' || c == '\t') c = ' ';
    }
    return "'" + text + (sql.size() > limit ? "...'" : "'");
}

// SQLite counts its memory under one lock, for which connections of several threads wait. Nobody
// asks for that count. To be said before the first connection of the program.
void count_no_memory() {
    static const int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    VIGIL_ASSERT(code == SQLITE_OK || code == SQLITE_MISUSE);  // misuse: SQLite runs already
}

// SQLite's own lower() knows ASCII alone. No index and no stored value is made by it.
void lower_any_script(sqlite3_context* context, int, sqlite3_value** values) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
    if (text == nullptr) return sqlite3_result_null(context);
    const auto bytes = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
    try {
        const auto folded = text::folded({text, bytes});
        sqlite3_result_text64(context, folded.data(), folded.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    } catch (const std::bad_alloc&) {
        sqlite3_result_error_nomem(context);
    }
}

bool only_space(const char* text, const char* end) {
    while (text != end && (*text == ' ' || *text == '\n' || *text == '\t' || *text == ';')) ++text;
    return text == end;
}

}  // namespace

SqliteConnection::SqliteConnection(const std::filesystem::path& path, OpenMode wanted)
    : file(path), access(wanted) {
    count_no_memory();
    const int mode = access == OpenMode::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                               : SQLITE_OPEN_READONLY;
    const int code = sqlite3_open_v2(
        file.c_str(), &handle, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    try {
        check(code, "opening it");
        sqlite3_busy_timeout(handle, busy_timeout_ms);
        script("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;");
        check(
            sqlite3_create_function_v2(
                handle,
                "lower",
                1,
                SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                nullptr,
                lower_any_script,
                nullptr,
                nullptr,
                nullptr),
            "adding lower()");
        if (access == OpenMode::write) {
            // Where it may not write, SQLite opens for reading and says nothing.
            if (sqlite3_db_readonly(handle, "main") == 1) {
                throw Error(
                    Errc::unavailable,
                    "ledger " + file.string() +
                        ": it cannot be written; check the owner and mode of the file and of its "
                        "folder, and that its disk is not mounted read-only");
            }
            // Of a new ledger only: its file can become smaller in slices (shrink.hpp).
            script("PRAGMA auto_vacuum = INCREMENTAL");
            script(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
                "PRAGMA journal_size_limit = " +
                std::to_string(max_idle_wal_bytes));
        } else {
            script("PRAGMA query_only = ON");
            check(
                sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr),
                "keeping a reader from checkpointing");
            sqlite3_progress_handler(handle, steps_between_checks, stop_old_snapshot, this);
        }
    } catch (...) {
        sqlite3_close(handle);
        throw;
    }
}

SqliteConnection::~SqliteConnection() {
    for (auto& [sql, statements] : idle) {
        for (sqlite3_stmt* statement : statements) sqlite3_finalize(statement);
    }
    VIGIL_ASSERT(sqlite3_close(handle) == SQLITE_OK);  // a Query outlived its Database
}

sqlite3_stmt* SqliteConnection::take(std::string_view text) {
    const auto sql = with_named_states(text);
    const auto found = idle.find(sql);
    if (found != idle.end() && !found->second.empty()) {
        sqlite3_stmt* statement = found->second.back();
        found->second.pop_back();
        --idle_count;
        return statement;
    }
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    const int code = sqlite3_prepare_v3(
        handle,
        sql.data(),
        static_cast<int>(sql.size()),
        SQLITE_PREPARE_PERSISTENT,
        &statement,
        &tail);
    if (code != SQLITE_OK) fail(code, "preparing " + excerpt(sql));
    VIGIL_ASSERT(statement != nullptr);                       // an empty statement
    VIGIL_ASSERT(only_space(tail, sql.data() + sql.size()));  // several: execute_script
    return statement;
}

void SqliteConnection::give_back(sqlite3_stmt* statement) noexcept {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (idle_count >= max_idle_statements) {
        sqlite3_finalize(statement);
        return;
    }
    try {
        idle[sqlite3_sql(statement)].push_back(statement);
        ++idle_count;
    } catch (...) {  // no memory for the cache: go without it
        sqlite3_finalize(statement);
    }
}

void SqliteConnection::enter() {
    if (open_statements++ == 0 && access == OpenMode::read) {
        deadline = std::chrono::steady_clock::now() + max_snapshot_age;
    }
}

void SqliteConnection::leave() noexcept {
    if (--open_statements == 0) deadline = std::chrono::steady_clock::time_point::max();
}

void SqliteConnection::check_age() const {
    if (access == OpenMode::read && std::chrono::steady_clock::now() > deadline) {
        throw Error(
            Errc::unavailable,
            "reading " + file.string() + ": the query took longer than " +
                std::to_string(max_snapshot_age.count()) + " ms; ask for less");
    }
}

void SqliteConnection::fail(int code, std::string_view doing) {
    disk_full = disk_full || (code & 0xff) == SQLITE_FULL;
    const std::string why = handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle);
    throw Error(
        errc_of(code),
        "ledger " + file.string() + ": " + std::string(doing) + ": " + why + advice_for(code));
}

void SqliteConnection::script(const std::string& sql) {
    const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code, "running " + excerpt(sql));
}

}  // namespace vigil::service::detail
