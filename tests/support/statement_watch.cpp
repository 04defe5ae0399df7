// In test programs of folders that hold SQL: collects the statements that the tests run. Those that
// are joined from pieces have plans that no reading of the sources shows.

#include <iostream>
#include <iterator>
#include <mutex>
#include <regex>
#include <set>
#include <sqlite3.h>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/at_end.hpp"
#include "tests/support/plans.hpp"
#include "tests/support/sql_texts.hpp"
#include "tests/support/statement_steps.hpp"

namespace vigil::tests {
namespace {

std::mutex mutex;
std::map<std::string, std::int64_t>& statements() {
    static std::map<std::string, std::int64_t> all;
    return all;
}

// A statement has ended.
int collect(unsigned, void*, void* ended, void*) {
    auto* statement = static_cast<sqlite3_stmt*>(ended);
    const char* sql = sqlite3_sql(statement);
    if (sql == nullptr) return 0;
    const std::scoped_lock lock(mutex);
    statements()[sql] += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    return 0;
}

int watch(sqlite3* connection, char**, const void*) {
    return sqlite3_trace_v2(connection, SQLITE_TRACE_PROFILE, collect, nullptr);
}

// A piece's parts between the places that are filled in. Short ones are in too many statements.
std::vector<std::string> fixed_parts(const std::string& piece) {
    constexpr std::size_t least = 16;
    static const std::regex place(R"(\{\w*\})");
    std::vector<std::string> parts;
    std::sregex_token_iterator part(piece.begin(), piece.end(), place, -1);
    for (; part != std::sregex_token_iterator(); ++part) {
        if (part->length() >= static_cast<long>(least)) parts.push_back(*part);
    }
    return parts;
}

int check(bool all_ran) {
    if (statements().empty()) return 0;
    const Plans plans;
    std::set<std::string> faults;
    std::istringstream words(VIGIL_SQL_OF);
    const std::set<std::string> folders(std::istream_iterator<std::string>(words), {});
    for (const auto& piece : list_sql("service")) {
        if (!piece.is_piece) continue;
        if (!folders.contains(piece.file.substr(0, piece.file.rfind('/')))) continue;
        for (const auto& part : fixed_parts(piece.text)) {
            bool ran = false;
            for (const auto& [sql, steps] : statements()) {
                if (sql.find(part) == std::string::npos) continue;
                ran = true;
                for (const auto& step : plans.refused(sql)) {
                    faults.insert("its plan grows with the ledger: " + step + "\n    " + sql);
                }
            }
            if (all_ran && !ran) {
                faults.insert(
                    piece.file + ":" + std::to_string(piece.line) +
                    ": no test runs this piece of a statement:\n    " + part);
            }
        }
    }
    for (const auto& fault : faults) std::cerr << fault << "\n";
    return static_cast<int>(faults.size());
}

// Under a sanitizer the statements are what they are without it, and the sources take minutes to
// read.
#ifdef __SANITIZE_ADDRESS__
constexpr bool are_checked = false;
#else
constexpr bool are_checked = true;
#endif

const bool registered = [] {
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch));
    if (are_checked) at_end().push_back(check);
    return true;
}();

}  // namespace

std::map<std::string, std::int64_t> statement_steps() {
    const std::scoped_lock lock(mutex);
    return statements();
}

}  // namespace vigil::tests
