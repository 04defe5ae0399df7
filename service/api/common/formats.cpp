#include "service/api/common/formats.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/http/accept.hpp"
#include "schema/http/target.hpp"
#include "schema/model/enum_names.hpp"
#include "schema/text/escape.hpp"
#include "schema/wire/json.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::pair<TableFormat, std::string_view> media_types[] = {
    {TableFormat::json, "application/json"},
    {TableFormat::ndjson, "application/x-ndjson"},
    {TableFormat::csv, "text/csv"},
    {TableFormat::markdown, "text/markdown"}};

void add_columns(const json& thing, const std::string& before, std::vector<std::string>& names) {
    for (const auto& [key, value] : thing.items()) {
        const auto name = before + key;
        if (value.is_object()) {
            add_columns(value, name + "/", names);
        } else if (std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
}

/// All that the things have, `id` first.
std::vector<std::string> columns_of(const json& items) {
    std::vector<std::string> names;
    for (const auto& thing : items) add_columns(thing, "", names);
    std::erase(names, "id");
    names.insert(names.begin(), "id");
    return names;
}

/// What stands at a path; null where there is nothing.
json value_at(const json& thing, std::string_view path) {
    const json* found = &thing;
    while (!path.empty()) {
        const auto slash = std::min(path.find('/'), path.size());
        const auto member =
            found->is_object() ? found->find(std::string(path.substr(0, slash))) : found->end();
        if (!found->is_object() || member == found->end()) return nullptr;
        found = &*member;
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return *found;
}

/// "worst/before" as the name of a column: "worst_before".
std::string heading_of(std::string path) {
    std::ranges::replace(path, '/', '_');
    return path;
}

std::string cell_of(const json& value) {
    const bool is_infinite = value.is_number_float() && !std::isfinite(value.get<double>());
    if (value.is_null() || is_infinite) return "";
    if (value.is_string()) return value.get<std::string>();
    if (value.is_structured()) return std::to_string(value.size());
    return wire::write_json(value);
}

std::string csv_cell(std::string text, bool is_text) {
    constexpr std::string_view formulas = "=+-@\t\r";
    if (is_text && !text.empty() && formulas.find(text.front()) != formulas.npos) {
        text.insert(text.begin(), '\'');
    }
    if (text.find_first_of(",\"\r\n") == text.npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string csv_of(const json& items, const std::vector<std::string>& columns) {
    std::string text;
    for (const auto& name : columns)
        text += (text.empty() ? "" : ",") + csv_cell(heading_of(name), true);
    text += "\r\n";
    for (const auto& thing : items) {
        std::string line;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const auto value = value_at(thing, columns[i]);
            line += (i == 0 ? "" : ",") + csv_cell(cell_of(value), value.is_string());
        }
        text += line + "\r\n";
    }
    return text;
}

std::string markdown_of(const json& items, const std::vector<std::string>& columns) {
    std::string text = "|";
    for (const auto& name : columns) text += " " + text::markdown(heading_of(name)) + " |";
    text += "\n|";
    for (std::size_t i = 0; i < columns.size(); ++i) text += " --- |";
    text += "\n";
    for (const auto& thing : items) {
        text += "|";
        for (const auto& name : columns) {
            text += " " + text::markdown(cell_of(value_at(thing, name))) + " |";
        }
        text += "\n";
    }
    return text;
}

std::string ndjson_of(const json& items) {
    std::string text;
    for (const auto& thing : items) text += wire::write_json(thing) + "\n";
    return text;
}

}  // namespace

TableFormat format_of(const http::Request& request) {
    const auto named = request.query.find("format");
    if (named != request.query.end()) return parse_enum<TableFormat>(named->second);
    const auto accepted = request.header("accept").value_or("");
    TableFormat best = TableFormat::json;  // as long as no other is wanted more
    http::Preference most;
    for (const auto& [format, media] : media_types) {
        const auto wanted = http::preference_of(accepted, media);
        if (wanted.weight == 0 || wanted <= most) continue;
        most = wanted;
        best = format;
    }
    return best;
}

http::Response list_in(
    TableFormat format, const json& items, const std::vector<std::string_view>& columns) {
    std::vector<std::string> names(columns.begin(), columns.end());
    if (names.empty()) names = columns_of(items);
    switch (format) {
        case TableFormat::csv:
            return http::text_response(csv_of(items, names), "text/csv; charset=utf-8");
        case TableFormat::markdown:
            return http::text_response(markdown_of(items, names), "text/markdown; charset=utf-8");
        case TableFormat::ndjson:
        case TableFormat::json: break;
    }
    return http::text_response(ndjson_of(items), "application/x-ndjson");
}

std::string next_target(const http::Request& request, const std::string& cursor) {
    auto query = request.query;
    query["cursor"] = cursor;
    return request.path + http::query_string(query);
}

}  // namespace vigil::service
