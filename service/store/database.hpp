#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "schema/model/error.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/row.hpp"

struct sqlite3_stmt;

namespace vigil::service {

using Blob = std::span<const std::byte>;
using Bytes = std::vector<std::byte>;

/// A value as the ledger has it: NULL, INTEGER, REAL, TEXT or BLOB.
using Value = std::variant<std::nullopt_t, std::int64_t, double, std::string, Bytes>;

namespace detail {

struct SqliteConnection;

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
template <class T>
constexpr bool is_id = false;
template <class Tag>
constexpr bool is_id<Id<Tag>> = true;
template <class T>
constexpr bool never = false;

/// A struct that stands for several columns.
template <class T>
concept Row = std::is_class_v<T> && std::is_aggregate_v<T> && !HasTextColumn<T> && !is_id<T>;

template <class T>
concept OptionalRow = is_optional<T> && Row<typename T::value_type>;

/// How many columns a field takes.
template <class T>
int width() {
    if constexpr (OptionalRow<T>) {
        return width<typename T::value_type>();
    } else if constexpr (Row<T>) {
        T row{};
        return std::apply(
            [](auto&... field) {
                return (width<std::remove_cvref_t<decltype(field)>>() + ... + 0);
            },
            tie_fields(row));
    } else {
        return 1;
    }
}

}  // namespace detail

/// One statement with its rows. `while (query.next()) query.get<T>(column)`. Move-only; borrows a
/// cached statement of its Database, which must outlive it. Keep it short-lived: on a reader an
/// unfinished query holds the snapshot.
class Query {
  public:
    Query(Query&& other) noexcept;
    Query& operator=(Query&&) = delete;
    ~Query();

    /// Goes to the next row; false after the last.
    /// @throws Error, see Database
    bool next();

    /// The value in `column`, from 0, of the row that next() went to. T: integers (range checked),
    /// bool, double, std::string, Bytes, Id, Revision, Digest, a named enum, a type with a
    /// TextColumn, or std::optional of these for columns that may be NULL. Blob: a view, valid
    /// until next().
    /// @throws Error{internal} on NULL without optional, or on a value of another type
    template <class T>
    T get(int column) const;

    /// The whole row: of a struct each field from its column, in the order they are declared; a
    /// field that is such a struct itself takes as many columns as it has fields, and an optional
    /// one is nothing where the first of them is NULL.
    /// A row has as many columns as the struct has fields. @throws Error{internal} likewise
    template <class T>
    T row() const;

    /// Number of columns of a row.
    int columns() const;
    /// What a column is called.
    std::string_view name(int column) const;
    /// The value in `column`, whatever its type.
    Value value(int column) const;

  private:
    friend class Database;
    Query(detail::SqliteConnection& connection, std::string_view sql);

    template <class T>
    void give(int& index, const T& value);  // from `index` on, which moves behind it
    template <class T>
    void bind(int index, const T& value);
    void bind_null(int index);
    void bind_integer(int index, std::int64_t value);
    void bind_real(int index, double value);
    void bind_text(int index, std::string_view value);
    void bind_blob(int index, Blob value);
    void check_bound(int count) const;  // as many values as the statement has parameters
    std::vector<std::string> value_names() const;

    template <class T>
    T take(int& column) const;          // from `column` on, which moves behind it
    void check_taken(int count) const;  // as many as the row has columns

    void end();
    int type_of(int column) const;  ///< as SQLite names them
    bool is_null(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;
    std::string_view text(int column) const;
    Blob blob(int column) const;
    [[noreturn]] void wrong_type(int column, int type, const char* why) const;
    [[noreturn]] void wrong_value(int column, const std::string& why) const;

    detail::SqliteConnection* connection_;
    sqlite3_stmt* statement_;
    enum class State { before, on_row, ended } state_ = State::before;
};

/// One connection to the ledger. Used by one thread at a time: a lane owns it. The writer is the
/// only connection of the program that writes or checkpoints.
///
/// Every operation throws Error: conflict for a broken constraint; unavailable when busy, or when
/// the disk is full (the text says so); internal for the rest. Values are bound as ?1, ?2, ...;
/// an empty Revision or Digest is NULL in the ledger, both ways. A struct among the values is bound
/// field by field, as Query::row reads it.
class Database {
  public:
    /// Opens for writing, creates when missing: WAL, synchronous=FULL, foreign keys on.
    /// `:memory:` is allowed (tests). The schema is not touched: call migrate().
    static Database open_writer(const std::filesystem::path& file);
    /// Opens read-only; the file must exist.
    /// @param max_snapshot_age  queries of an older snapshot throw Error{unavailable}: it would let
    ///     the WAL grow without bound
    static Database open_reader(
        const std::filesystem::path& file,
        std::chrono::milliseconds max_snapshot_age = std::chrono::seconds(5));

    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;
    ~Database();

    /// Runs one statement to its end. @return  how many rows it changed (0 for a SELECT)
    template <class... Args>
    std::int64_t execute(std::string_view sql, const Args&... args) {
        Query query = prepare(sql, args...);
        return run(query);
    }

    /// Runs an INSERT. @return  the id of the new row
    template <class Id, class... Args>
    Id insert(std::string_view sql, const Args&... args) {
        execute(sql, args...);
        return Id{last_insert_id()};
    }

    /// Whether there is such a row.
    template <class... Args>
    [[nodiscard]] bool has(std::string_view sql, const Args&... args) {
        return prepare(sql, args...).next();
    }

    template <class... Args>
    [[nodiscard]] Query query(std::string_view sql, const Args&... args) {
        return prepare(sql, args...);
    }

    /// A statement whose values have names instead of numbers. @param value  of `:name`, by "name"
    [[nodiscard]] Query query_named(
        std::string_view sql, const std::function<Value(const std::string& name)>& value);
    /// Those names, in the order in which they come.
    std::vector<std::string> value_names(std::string_view sql);

    /// First column of the first row; nullopt when there is no row, or when it is NULL.
    template <class T, class... Args>
    std::optional<T> find(std::string_view sql, const Args&... args) {
        static_assert(!std::is_same_v<T, Blob>, "a view would dangle: use Bytes");
        Query rows = prepare(sql, args...);
        if (!rows.next()) return std::nullopt;
        return rows.template get<std::optional<T>>(0);
    }

    /// The first row, see Query::row; nullopt when there is none.
    template <class Row, class... Args>
    std::optional<Row> first(std::string_view sql, const Args&... args) {
        Query rows = prepare(sql, args...);
        if (!rows.next()) return std::nullopt;
        return rows.template row<Row>();
    }

    /// The row that ?1 is the id of. @throws Error{not_found} "there is no WHAT ID"
    template <class Row, class Tag, class... Args>
    Row load(std::string_view what, std::string_view sql, Id<Tag> id, const Args&... args) {
        if (auto row = first<Row>(sql, id, args...)) return std::move(*row);
        throw Error(Errc::not_found, "there is no " + std::string(what) + " " + to_string(id));
    }

    /// All rows, see Query::row.
    template <class Row, class... Args>
    std::vector<Row> all(std::string_view sql, const Args&... args) {
        Query rows = prepare(sql, args...);
        std::vector<Row> found;
        while (rows.next()) found.push_back(rows.template row<Row>());
        return found;
    }

    /// Runs several statements, without values.
    void execute_script(const std::string& sql);

    std::int64_t last_insert_id() const;
    bool in_transaction() const;

    /// Whether an operation failed because the disk is full, since this was last asked.
    bool take_disk_full();

  private:
    friend class Snapshot;
    bool begin_snapshot();
    void end_snapshot() noexcept;
    explicit Database(std::unique_ptr<detail::SqliteConnection> connection);

    template <class... Args>
    Query prepare(std::string_view sql, const Args&... args) {
        Query query(*connection_, sql);
        int index = 0;
        (query.give(index, args), ...);
        query.check_bound(index);
        return query;
    }
    std::int64_t run(Query& query);

    std::unique_ptr<detail::SqliteConnection> connection_;
};

/// BEGIN IMMEDIATE now; rolls back at the end unless committed. Work that runs on the writer lane
/// needs none: the lane wraps it already.
class Transaction {
  public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    Database& database_;
    bool open_ = true;
};

/// One snapshot for several queries of a reader. Keep it short, see open_reader(). Within a
/// transaction it is that one.
class Snapshot {
  public:
    explicit Snapshot(Database& database);
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

  private:
    Database& database_;
    bool begun_;
};

template <class T>
void Query::bind(int index, const T& value) {
    if constexpr (std::is_same_v<T, std::nullopt_t>) {
        bind_null(index);
    } else if constexpr (detail::is_optional<T>) {
        value ? bind(index, *value) : bind_null(index);
    } else if constexpr (std::is_same_v<T, Value>) {
        std::visit([&](const auto& held) { bind(index, held); }, value);
    } else if constexpr (std::is_same_v<T, bool>) {
        bind_integer(index, value ? 1 : 0);
    } else if constexpr (std::integral<T>) {
        bind_integer(index, std::int64_t{value});
    } else if constexpr (std::floating_point<T>) {
        bind_real(index, double{value});
    } else if constexpr (detail::is_id<T>) {
        bind_integer(index, value.value);
    } else if constexpr (std::is_same_v<T, Revision> || std::is_same_v<T, Digest>) {
        value.empty() ? bind_null(index) : bind_text(index, value.str());
    } else if constexpr (NamedEnum<T>) {
        bind_text(index, to_string(value));
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
        bind_text(index, value);
    } else if constexpr (std::convertible_to<const T&, Blob>) {
        bind_blob(index, value);
    } else if constexpr (detail::HasTextColumn<T>) {
        bind_text(index, TextColumn<T>::text(value));
    } else {
        static_assert(detail::never<T>, "a value of this type cannot be bound");
    }
}

template <class T>
void Query::give(int& index, const T& value) {
    if constexpr (detail::OptionalRow<T>) {
        if (value) return give(index, *value);
        for (int i = 0; i < detail::width<T>(); ++i) bind_null(++index);
    } else if constexpr (detail::Row<T>) {
        std::apply(
            [&](const auto&... field) { (give(index, field), ...); }, detail::tie_fields(value));
    } else {
        bind(++index, value);
    }
}

template <class T>
T Query::get(int column) const {
    if constexpr (detail::is_optional<T>) {
        if (is_null(column)) return std::nullopt;
        return get<typename T::value_type>(column);
    } else if constexpr (std::is_same_v<T, bool>) {
        return integer(column) != 0;
    } else if constexpr (std::integral<T>) {
        const std::int64_t value = integer(column);
        if (!std::in_range<T>(value)) wrong_value(column, "is out of range");
        return static_cast<T>(value);
    } else if constexpr (std::floating_point<T>) {
        return static_cast<T>(real(column));
    } else if constexpr (detail::is_id<T>) {
        return T{integer(column)};
    } else if constexpr (std::is_same_v<T, std::string>) {
        return std::string(text(column));
    } else if constexpr (std::is_same_v<T, Revision> || std::is_same_v<T, Digest>) {
        return is_null(column) ? T() : T(std::string(text(column)));
    } else if constexpr (NamedEnum<T>) {
        return parse_enum<T>(text(column));
    } else if constexpr (std::is_same_v<T, Blob>) {
        return blob(column);
    } else if constexpr (std::is_same_v<T, Bytes>) {
        const Blob view = blob(column);
        return Bytes(view.begin(), view.end());
    } else if constexpr (detail::HasTextColumn<T>) {
        return TextColumn<T>::parse(text(column));
    } else {
        static_assert(detail::never<T>, "a value of this type cannot be read");
    }
}

template <class T>
T Query::take(int& column) const {
    if constexpr (detail::OptionalRow<T>) {
        const int begin = std::exchange(column, column + detail::width<T>());
        return is_null(begin) ? T() : T(take<typename T::value_type>(column = begin));
    } else if constexpr (detail::Row<T>) {
        T row{};
        std::apply(
            [&](auto&... field) {
                ((field = take<std::remove_cvref_t<decltype(field)>>(column)), ...);
            },
            detail::tie_fields(row));
        return row;
    } else {
        static_assert(!std::is_same_v<T, Blob>, "a view would dangle: use Bytes");
        return get<T>(column++);
    }
}

template <class T>
T Query::row() const {
    int column = 0;
    T row = take<T>(column);
    check_taken(column);
    return row;
}

}  // namespace vigil::service
