#include "service/store/lists/list.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/store/findings/published.hpp"

namespace vigil::service {

namespace {

nlohmann::json doubles_of(const Bytes& bytes) {
    static_assert(std::endian::native == std::endian::little);
    std::vector<double> values(bytes.size() / sizeof(double));
    const auto places = std::as_writable_bytes(std::span(values));
    std::copy_n(bytes.begin(), places.size(), places.begin());
    return values;
}

nlohmann::json json_of(Value value, std::string_view mark) {
    if (const auto* text = std::get_if<std::string>(&value); text && !mark.empty()) {
        try {
            return mark == "json" ? wire::parse_json(*text, "a JSON column")
                                  : published(mark, *text);
        } catch (const Error& error) {
            if (error.code() == Errc::internal) throw;
            return nullptr;
        }
    }
    if (const auto* flag = std::get_if<std::int64_t>(&value); flag && mark == "bool") {
        return *flag != 0;
    }
    return std::visit(
        [](auto&& held) -> nlohmann::json {
            using Held = std::remove_cvref_t<decltype(held)>;
            if constexpr (std::is_same_v<Held, std::nullopt_t>) {
                return nullptr;
            } else if constexpr (std::is_same_v<Held, Bytes>) {
                return doubles_of(held);
            } else {
                return std::forward<decltype(held)>(held);
            }
        },
        std::move(value));
}

/// A column's key in the object, and its mark.
struct Column {
    std::string key;
    std::string mark;
};

std::vector<Column> columns_of(const Query& rows) {
    std::vector<Column> columns;
    for (int column = 0; column < rows.columns(); ++column) {
        const auto name = rows.name(column);
        const auto colon = std::min(name.find(':'), name.size());
        columns.push_back(
            {std::string(name.substr(0, colon)),
             std::string(name.substr(std::min(colon + 1, name.size())))});
    }
    return columns;
}

nlohmann::json object_of(const Query& row, const std::vector<Column>& columns) {
    nlohmann::json::object_t object;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& [key, mark] = columns[i];
        object.insert_or_assign(key, json_of(row.value(static_cast<int>(i)), mark));
    }
    return object;
}

void add_parts(Database& db, nlohmann::json& thing, const std::vector<ListPart>& parts) {
    for (const auto& part : parts) {
        auto rows = db.query(part.sql, thing.at("id").get<std::int64_t>());
        if (part.key.empty()) {
            VIGIL_ASSERT(rows.next());
            thing.update(object_of(rows, columns_of(rows)));
            continue;
        }
        auto& all = thing[std::string(part.key)] = all_rows(std::move(rows));
        for (auto& one : all) add_parts(db, one, part.parts);
    }
}

/// Filters that name one thing, whose rows an index finds. Those of a kind (a state, a project)
/// hold of so many rows that going back from the newest is quicker.
constexpr std::array<std::string_view, 12> of_one_thing{
    "bisection",
    "build",
    "culprit",
    "job",
    "nightly",
    "probe",
    "regression",
    "report",
    "revision",
    "series",
    "session",
    "subject"};

using Values = std::map<std::string, Value>;

/// Where a filter may be NULL no index serves it: one that is given is asked for as it is.
std::string asking_for(const List& list, const Values& values) {
    std::string sql(list.sql);
    const auto ask = [&](std::string_view filter, const std::string& instead) {
        const auto optional = "(:" + std::string(filter) + " IS NULL OR ";
        const auto at = sql.find(optional);
        if (at != sql.npos) sql.replace(at, optional.size(), instead);
    };
    const auto is_given = [&](std::string_view filter) {
        const auto value = values.find(std::string(filter));
        return value != values.end() && !std::holds_alternative<std::nullopt_t>(value->second);
    };
    for (const auto filter : of_one_thing) {
        if (is_given(filter)) ask(filter, "(");
    }
    for (const auto& [filter, usual, others] : list.usual) {
        if (!is_given(filter)) continue;
        const auto* asked = std::get_if<std::string>(&values.at(std::string(filter)));
        if (asked != nullptr && *asked == usual) continue;
        ask(filter, "(" + std::string(others) + " AND ");
    }
    return sql;
}

}  // namespace

nlohmann::json all_rows(Query rows) {
    auto all = nlohmann::json::array();
    const auto columns = columns_of(rows);
    while (rows.next()) {
        all.push_back(columns.size() == 1 ? json_of(rows.value(0), "") : object_of(rows, columns));
    }
    return all;
}

std::vector<std::string> filters_of(Database& db, const List& list) {
    auto names = db.value_names(list.sql);
    std::erase_if(names, [](const auto& name) { return name == "newest" || name == "limit"; });
    return names;
}

nlohmann::json list_page(
    Database& db,
    const List& list,
    const Page& page,
    const std::function<Value(const std::string& name)>& filter) {
    Values values{{"newest", page.newest}, {"limit", std::int64_t{page.limit} + 1}};
    for (const auto& name : filters_of(db, list)) values.emplace(name, filter(name));
    const auto sql = asking_for(list, values);
    auto all = all_rows(db.query_named(sql, [&](const auto& name) { return values.at(name); }));
    for (auto& one : all) add_parts(db, one, list.each);
    return all;
}

nlohmann::json load_one(Database& db, const List& list, std::int64_t id) {
    auto found = list_page(db, list, {id, 0}, [](const auto&) { return std::nullopt; });
    if (found.empty() || found[0].at("id") != id) throw_missing(list.noun, id);
    add_parts(db, found[0], list.parts);
    return std::move(found[0]);
}

void throw_missing(std::string_view noun, std::int64_t id) {
    throw Error(Errc::not_found, "there is no " + std::string(noun) + " " + std::to_string(id));
}

}  // namespace vigil::service
