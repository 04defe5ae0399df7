#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <vector>

// Inside of service/store/database.cpp; nobody else includes this.

namespace vigil::service::detail {

/// How many idle statements a connection keeps prepared: more than the service has (about 600), for
/// preparing one takes longer than most take to run.
constexpr int max_idle_statements = 1024;
constexpr int busy_timeout_ms = 5'000;
/// The WAL file is cut back to this size after a checkpoint.
constexpr int max_idle_wal_bytes = 64 << 20;

enum class OpenMode { write, read };

/// A SQLite handle with its prepared statements. Its address stays, because queries point to it.
struct SqliteConnection {
    SqliteConnection(const std::filesystem::path& file, OpenMode access);
    ~SqliteConnection();
    SqliteConnection(const SqliteConnection&) = delete;
    SqliteConnection& operator=(const SqliteConnection&) = delete;

    /// An idle or new statement for this SQL; goes back by give_back().
    sqlite3_stmt* take(std::string_view sql);
    void give_back(sqlite3_stmt* statement) noexcept;

    /// A statement begins or ends; the first of several begins a snapshot.
    void enter();
    void leave() noexcept;
    /// @throws Error{unavailable} when a reader's snapshot is too old
    void check_age() const;

    /// @throws Error that says what failed on which file, by SQLite's code
    [[noreturn]] void fail(int code, std::string_view doing);
    void check(int code, std::string_view doing) {
        if (code != SQLITE_OK) fail(code, doing);
    }
    void script(const std::string& sql);

    std::filesystem::path file;
    OpenMode access;
    sqlite3* handle = nullptr;
    std::map<std::string, std::vector<sqlite3_stmt*>, std::less<>> idle;
    int idle_count = 0;
    int open_statements = 0;
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::chrono::milliseconds max_snapshot_age{0};  ///< readers
    bool disk_full = false;
};

}  // namespace vigil::service::detail
