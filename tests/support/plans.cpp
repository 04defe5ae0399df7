#include "tests/support/plans.hpp"

#include <algorithm>
#include <regex>
#include <sqlite3.h>
#include <stdexcept>

#include "schema/sql/schema.hpp"

namespace vigil::tests {

namespace {

// What has a row for each thing that people set up, whatever the number of nights.
const std::set<std::string> steady_tables = {
    "clock",
    "environment",
    "every_suspicion",  // a view: what its two tables are searched by stands in lines of their own
    "hooked_repository",
    "machine_class",
    "marker_key",
    "packing",
    "project",
    "schedule",
    "series",
    "series_record",
    "sqlite_sequence",
    "stale_record",
    "token",
    "tracker_quiet",
    "withdrawal",
    "worker"};

// Indexes that hold what is open: it ends, and leaves them.
const std::set<std::string> open_indexes = {"allocation_open",     "attempt_open",
                                            "backfill_open",       "build_missing",
                                            "callback_pending",    "command_due",
                                            "command_untold",      "culprit_pull_asking",
                                            "culprit_pull_untold", "improvement_searched",
                                            "improvement_untold",  "job_leased",
                                            "job_unseen",          "job_waiting",
                                            "job_waits",           "nightly_open",
                                            "nightly_unlisted",    "nightly_unsummed",
                                            "notice_due",          "notice_given_up",
                                            "notice_look",         "outbox_pending",
                                            "outbox_turn",         "pull_open",
                                            "pull_untold",         "regression_unreported",
                                            "request_naming",      "revert_open",
                                            "rolled_night_loose",  "rolled_night_open",
                                            "request_open",        "content_released",
                                            "session_open",        "tracker_write_open",
                                            "trigger_waiting",     "trouble_open",
                                            "trouble_untold",      "why_open"};

// A series has a row here for each run.
const std::set<std::string> values_tables = {
    "measurement", "judged_measurement", "night_run", "night_value", "unjudged_measurement"};

using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Statement prepare(sqlite3* ledger, const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(ledger, sql.c_str(), -1, &statement, nullptr);
    return {statement, sqlite3_finalize};
}

std::vector<std::string> column(sqlite3* ledger, const std::string& sql, int index) {
    std::vector<std::string> values;
    const auto statement = prepare(ledger, sql);
    while (statement != nullptr && sqlite3_step(statement.get()) == SQLITE_ROW) {
        const auto* text = sqlite3_column_text(statement.get(), index);
        values.emplace_back(text == nullptr ? "" : reinterpret_cast<const char*>(text));
    }
    return values;
}

}  // namespace

Plans::Plans() {
    sqlite3* ledger = nullptr;
    sqlite3_open(":memory:", &ledger);
    ledger_ = {ledger, sqlite3_close};
    if (sqlite3_exec(ledger, sql::ledger(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        throw std::runtime_error(std::string("schema/sql/ledger: ") + sqlite3_errmsg(ledger));
    }
    for (const auto& table :
         column(ledger, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')", 0)) {
        if (!steady_tables.contains(table)) growing_tables_.insert(table);
    }
}

bool Plans::prepares(const std::string& sql) const {
    return prepare(ledger_.get(), sql) != nullptr;
}

namespace {

// SQLite calls a table by its alias. Where one alias stands for several, one of them is enough.
bool is_one_of(
    const std::string& name, const std::string& sql, const std::set<std::string>& tables) {
    if (tables.contains(name)) return true;
    const std::regex named(
        R"((?:FROM|JOIN|UPDATE|INTO|,)\s+(\w+)\s+(?:AS\s+)?)" + name + R"((?!\w))",
        std::regex::icase);
    const auto begin = std::sregex_iterator(sql.begin(), sql.end(), named);
    return std::any_of(begin, std::sregex_iterator(), [&](const std::smatch& match) {
        return tables.contains(match[1]);
    });
}

}  // namespace

std::vector<std::string> Plans::growing(const std::string& sql) const {
    // Whose rows they are, or of what kind, is the same for a part of all rows that stays.
    static const std::regex step(R"(^(SCAN|SEARCH) (\w+)(?: USING.*? INDEX (\w+))?(.*)$)");
    static const std::regex part(
        R"(\((rowid[<>]\?( AND rowid[<>]\?)?|(project_id|machine_class_id|worker_id|state|kind|)"
        R"(purpose|verdict|target|outcome|benchmark)=\?( AND (state|kind|purpose)=\?)*)\))");
    std::vector<std::string> found;
    for (const auto& line : column(ledger_.get(), "EXPLAIN QUERY PLAN " + sql, 3)) {
        std::smatch match;
        if (!std::regex_search(line, match, step) || !is_one_of(match[2], sql, growing_tables_))
            continue;
        if (open_indexes.contains(match[3])) continue;
        const bool of_series =
            line.ends_with("(series_id=?)") && is_one_of(match[2], sql, values_tables);
        const bool made_anew = line.find("AUTOMATIC") != std::string::npos;
        const bool scan = match[1] == "SCAN" && line.find("VIRTUAL TABLE") == std::string::npos;
        if (scan || made_anew || of_series || std::regex_search(line, part)) found.push_back(line);
    }
    return found;
}

std::vector<std::string> Plans::refused(const std::string& sql) const {
    const auto& allowed = allowed_growth();
    const bool is_allowed = std::any_of(allowed.begin(), allowed.end(), [&](const auto& one) {
        return sql.find(one.piece) != std::string::npos;
    });
    return is_allowed ? std::vector<std::string>{} : growing(sql);
}

}  // namespace vigil::tests
