#include "service/store/lists/list.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"

namespace vigil::service {

namespace {

nlohmann::json doubles_of(const Bytes& bytes) {
    static_assert(std::endian::native == std::endian::little);
    std::vector<double> values(bytes.size() / sizeof(double));
    const auto places = std::as_writable_bytes(std::span(values));
    std::copy_n(bytes.begin(), places.size(), places.begin());
    return values;
}

nlohmann::json json_of(const Value& value, std::string_view mark) {
    if (const auto* text = std::get_if<std::string>(&value); text && mark == "json") {
        try {
            return wire::parse_json(*text, "a JSON column");
        } catch (const Error&) {
            return nullptr;
        }
    }
    if (const auto* flag = std::get_if<std::int64_t>(&value); flag && mark == "bool") {
        return *flag != 0;
    }
    return std::visit(
        [](const auto& held) -> nlohmann::json {
            using Held = std::remove_cvref_t<decltype(held)>;
            if constexpr (std::is_same_v<Held, std::nullopt_t>) {
                return nullptr;
            } else if constexpr (std::is_same_v<Held, Bytes>) {
                return doubles_of(held);
            } else {
                return held;
            }
        },
        value);
}

nlohmann::json object_of(const Query& row) {
    auto object = nlohmann::json::object();
    for (int column = 0; column < row.columns(); ++column) {
        const auto name = row.name(column);
        const auto colon = std::min(name.find(':'), name.size());
        const auto mark = name.substr(std::min(colon + 1, name.size()));
        object[std::string(name.substr(0, colon))] = json_of(row.value(column), mark);
    }
    return object;
}

void add_parts(Database& db, nlohmann::json& thing, const std::vector<ListPart>& parts) {
    for (const auto& part : parts) {
        auto rows = db.query(part.sql, thing.at("id").get<std::int64_t>());
        if (part.key.empty()) {
            VIGIL_ASSERT(rows.next());
            thing.update(object_of(rows));
            continue;
        }
        auto& all = thing[std::string(part.key)] = all_rows(std::move(rows));
        for (auto& one : all) add_parts(db, one, part.parts);
    }
}

}  // namespace

nlohmann::json all_rows(Query rows) {
    auto all = nlohmann::json::array();
    while (rows.next()) {
        all.push_back(rows.columns() == 1 ? json_of(rows.value(0), "") : object_of(rows));
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
    auto all = all_rows(db.query_named(list.sql, [&](const std::string& name) -> Value {
        if (name == "newest") return page.newest;
        if (name == "limit") return std::int64_t{page.limit} + 1;
        return filter(name);
    }));
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
