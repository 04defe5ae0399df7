#include "service/store/database.hpp"

#include <sqlite3.h>

#include "service/store/connection.hpp"

namespace vigil::service {

using detail::OpenMode;
using detail::SqliteConnection;

Query::Query(SqliteConnection& connection, std::string_view sql)
    : connection_(&connection), statement_(connection.take(sql)) {
    connection_->enter();
}

Query::Query(Query&& other) noexcept
    : connection_(other.connection_),
      statement_(std::exchange(other.statement_, nullptr)),
      state_(other.state_) {}

Query::~Query() {
    if (statement_ == nullptr) return;
    connection_->give_back(statement_);
    if (state_ != State::ended) connection_->leave();
}

bool Query::next() {
    if (state_ == State::ended) return false;
    connection_->check_age();
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) {
        state_ = State::on_row;
        return true;
    }
    if (code != SQLITE_DONE) {
        const std::string doing = std::string("running '") + sqlite3_sql(statement_) + "'";
        try {
            connection_->fail(code, doing);
        } catch (...) {
            end();
            throw;
        }
    }
    end();
    return false;
}

// Lets go of the snapshot now, not when the query goes out of scope.
void Query::end() {
    state_ = State::ended;
    sqlite3_reset(statement_);
    connection_->leave();
}

int Query::columns() const {
    return sqlite3_column_count(statement_);
}

std::string_view Query::name(int column) const {
    return sqlite3_column_name(statement_, column);
}

Value Query::value(int column) const {
    switch (sqlite3_column_type(statement_, column)) {
        case SQLITE_INTEGER: return get<std::int64_t>(column);
        case SQLITE_FLOAT: return get<double>(column);
        case SQLITE_TEXT: return get<std::string>(column);
        case SQLITE_BLOB: return get<Bytes>(column);
        default: return std::nullopt;
    }
}

std::vector<std::string> Query::value_names() const {
    std::vector<std::string> names;
    for (int index = 1; index <= sqlite3_bind_parameter_count(statement_); ++index) {
        names.emplace_back(
            sqlite3_bind_parameter_name(statement_, index) + 1);  // without its colon
    }
    return names;
}

void Query::bind_null(int index) {
    connection_->check(sqlite3_bind_null(statement_, index), "binding NULL");
}

void Query::bind_integer(int index, std::int64_t value) {
    connection_->check(sqlite3_bind_int64(statement_, index, value), "binding an integer");
}

void Query::bind_real(int index, double value) {
    connection_->check(sqlite3_bind_double(statement_, index, value), "binding a number");
}

void Query::bind_text(int index, std::string_view value) {
    const char* data = value.data() == nullptr ? "" : value.data();
    connection_->check(
        sqlite3_bind_text64(statement_, index, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8),
        "binding text");
}

void Query::bind_blob(int index, Blob value) {
    // A null pointer would bind NULL; an empty blob is not NULL.
    const void* data = value.empty() ? "" : static_cast<const void*>(value.data());
    connection_->check(
        sqlite3_bind_blob64(statement_, index, data, value.size(), SQLITE_TRANSIENT),
        "binding a blob");
}

void Query::check_bound(int count) const {
    VIGIL_ASSERT(count == sqlite3_bind_parameter_count(statement_));
}

void Query::check_taken(int count) const {
    VIGIL_ASSERT(count == columns());
}

int Query::type_of(int column) const {
    VIGIL_ASSERT(state_ == State::on_row && column >= 0 && column < columns());
    return sqlite3_column_type(statement_, column);
}

bool Query::is_null(int column) const {
    return type_of(column) == SQLITE_NULL;
}

std::int64_t Query::integer(int column) const {
    const int type = type_of(column);
    if (type != SQLITE_INTEGER) wrong_type(column, type, "is not an integer");
    return sqlite3_column_int64(statement_, column);
}

double Query::real(int column) const {
    const int type = type_of(column);
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) {
        wrong_type(column, type, "is not a number");
    }
    return sqlite3_column_double(statement_, column);
}

std::string_view Query::text(int column) const {
    const int type = type_of(column);
    if (type != SQLITE_TEXT) wrong_type(column, type, "is not text");
    const auto* data = sqlite3_column_text(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return {reinterpret_cast<const char*>(data), size};
}

Blob Query::blob(int column) const {
    const int type = type_of(column);
    if (type != SQLITE_BLOB) wrong_type(column, type, "is no blob");
    const void* data = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return {static_cast<const std::byte*>(data), size};
}

void Query::wrong_type(int column, int type, const char* why) const {
    wrong_value(column, type == SQLITE_NULL ? "is NULL" : why);
}

void Query::wrong_value(int column, const std::string& why) const {
    throw Error(
        Errc::internal,
        "ledger: column " + std::to_string(column) + " of '" + sqlite3_sql(statement_) + "' " +
            why);
}

Database::Database(std::unique_ptr<SqliteConnection> connection)
    : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Database Database::open_writer(const std::filesystem::path& file) {
    return Database(std::make_unique<SqliteConnection>(file, OpenMode::write));
}

Database Database::open_reader(
    const std::filesystem::path& file, std::chrono::milliseconds max_snapshot_age) {
    auto connection = std::make_unique<SqliteConnection>(file, OpenMode::read);
    connection->max_snapshot_age = max_snapshot_age;
    return Database(std::move(connection));
}

void Database::execute_script(const std::string& sql) {
    connection_->script(sql);
}

Query Database::query_named(
    std::string_view sql, const std::function<Value(const std::string& name)>& value) {
    Query query(*connection_, sql);
    int index = 0;
    for (const auto& name : query.value_names()) query.bind(++index, value(name));
    return query;
}

std::vector<std::string> Database::value_names(std::string_view sql) {
    return Query(*connection_, sql).value_names();
}

std::int64_t Database::last_insert_id() const {
    return sqlite3_last_insert_rowid(connection_->handle);
}

bool Database::in_transaction() const {
    return sqlite3_get_autocommit(connection_->handle) == 0;
}

bool Database::take_disk_full() {
    return std::exchange(connection_->disk_full, false);
}

std::int64_t Database::run(Query& query) {
    const std::int64_t before = sqlite3_total_changes64(connection_->handle);
    while (query.next()) {
    }
    // changes64 keeps the count of the statement before when this one is no write.
    const bool wrote = sqlite3_total_changes64(connection_->handle) != before;
    return wrote ? sqlite3_changes64(connection_->handle) : 0;
}

bool Database::begin_snapshot() {
    if (sqlite3_get_autocommit(connection_->handle) == 0) return false;
    connection_->enter();
    try {
        connection_->script("BEGIN");
    } catch (...) {
        connection_->leave();
        throw;
    }
    return true;
}

void Database::end_snapshot() noexcept {
    sqlite3_exec(connection_->handle, "ROLLBACK", nullptr, nullptr, nullptr);
    connection_->leave();
}

Transaction::Transaction(Database& database) : database_(database) {
    database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
    // A full disk makes SQLite roll back by itself.
    if (!open_ || !database_.in_transaction()) return;
    try {
        database_.execute("ROLLBACK");
    } catch (const Error&) {  // the connection is broken; the next statement says so
    }
}

void Transaction::commit() {
    database_.execute("COMMIT");
    open_ = false;
}

Snapshot::Snapshot(Database& database) : database_(database), begun_(database_.begin_snapshot()) {}

Snapshot::~Snapshot() {
    if (begun_) database_.end_snapshot();
}

}  // namespace vigil::service
