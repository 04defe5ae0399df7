#include "service/api/common/listing.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/text/nearest.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/formats.hpp"

namespace vigil::service {

namespace {

std::optional<std::int64_t> parse_number(std::string_view text) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || at != end || value < 0) return std::nullopt;
    return value;
}

/// A cursor is the last id of a page behind a letter, in hex: opaque, and checked when it comes
/// back.
constexpr char cursor_mark = 'c';

std::string cursor_of(std::int64_t id) {
    char digits[16];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, id, 16);
    return cursor_mark + std::string(digits, end);
}

std::optional<std::int64_t> parse_cursor(std::string_view cursor) {
    if (!cursor.starts_with(cursor_mark)) return std::nullopt;
    cursor.remove_prefix(1);
    std::int64_t id = 0;
    const auto* last = cursor.data() + cursor.size();
    const auto [at, error] = std::from_chars(cursor.data(), last, id, 16);
    if (error != std::errc() || at != last || id <= 0) return std::nullopt;
    return id;
}

[[noreturn]] void refuse_parameter(const std::string& name, const std::string& why) {
    throw Error(Errc::invalid_argument, "query parameter " + name + " " + why);
}

}  // namespace

nlohmann::json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

void check_query(const http::Request& request, const std::vector<std::string>& known) {
    for (const auto& [name, value] : request.query) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        refuse_parameter("'" + name + "'", "is not known here" + text::did_you_mean(name, known));
    }
}

Page parse_page(const http::Request& request, const std::vector<std::string>& filters) {
    auto known = filters;
    known.insert(known.end(), {"limit", "cursor"});
    check_query(request, known);
    Page page;
    page.limit = default_page_size;
    if (const auto limit = number_filter(request, "limit")) {
        if (*limit < 1 || *limit > max_page_size) {
            refuse_parameter("limit", "must be 1.." + std::to_string(max_page_size));
        }
        page.limit = static_cast<int>(*limit);
    }
    if (const auto cursor = text_filter(request, "cursor")) {
        const auto id = parse_cursor(*cursor);
        if (!id) refuse_parameter("cursor", "is not one of ours; leave it out to begin again");
        page.newest = *id - 1;
    }
    return page;
}

http::Response list_response(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const List& list,
    Finish finish) {
    const Snapshot snapshot(db);
    auto known = filters_of(db, list);
    std::erase_if(known, [&](const auto& name) { return request.parameters.contains(name); });
    for (const char* bound : {"since", "until"}) {  // the same in words
        if (std::ranges::count(known, std::string(bound) + "_s") > 0) known.emplace_back(bound);
    }
    known.emplace_back("format");
    const Page page = parse_page(request, known);
    const Filters filters(request, db, context.config);
    auto items = list_page(db, list, page, [&](const std::string& name) -> Value {
        if (request.parameters.contains(name)) return id_parameter(request, name);
        return filters.value(list.noun, name);
    });
    nlohmann::json cursor;
    if (items.size() > static_cast<std::size_t>(page.limit)) {
        items.erase(items.end() - 1);
        cursor = cursor_of(items.back().at("id").get<std::int64_t>());
    }
    if (finish != nullptr) {
        for (auto& item : items) finish(item, db, context);
    }
    const auto format = format_of(request);
    auto response = format == TableFormat::json
                        ? object_response({{"items", std::move(items)}, {"next_cursor", cursor}})
                        : list_in(format, items, list.columns);
    if (!cursor.is_null()) {
        response.headers["link"] =
            "<" + next_target(request, cursor.get<std::string>()) + ">; rel=\"next\"";
    }
    response.headers["vary"] = "accept";
    return response;
}

http::Response one_response(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const List& list,
    Finish finish) {
    check_query(request, {});
    const Snapshot snapshot(db);
    auto thing = load_one(db, list, id_parameter(request));
    if (finish != nullptr) finish(thing, db, context);
    return object_response(std::move(thing));
}

std::optional<std::string> text_filter(const http::Request& request, const std::string& name) {
    const auto found = request.query.find(name);
    if (found == request.query.end()) return std::nullopt;
    return found->second;
}

std::optional<std::int64_t> number_filter(const http::Request& request, const std::string& name) {
    const auto text = text_filter(request, name);
    if (!text) return std::nullopt;
    const auto value = parse_number(*text);
    if (!value) refuse_parameter(name, "must be a number, 0 or more");
    return value;
}

std::int64_t id_parameter(const http::Request& request, const std::string& name) {
    const auto& text = request.parameters.at(name);
    const auto value = parse_number(text);
    if (!value || *value == 0) {
        throw Error(Errc::not_found, "'" + text + "' is not an id: ids are positive numbers");
    }
    return *value;
}

std::optional<std::int64_t> find_coming_time(
    wire::ObjectReader& body, const std::string& key, std::int64_t now_s) {
    constexpr wire::IntegerRange range{0, std::int64_t{1} << 40};
    const auto words = body.find_text(key, 100);
    const auto number = body.find(key + "_s");
    if (!words && !number) return std::nullopt;
    if (words && number) wire::refuse(body.path(key), "and " + key + "_s: give one of them");
    const auto time = words ? text::parse_time(*words) : body.integer(key + "_s", range);
    if (!time) wire::refuse(body.path(key), "must be a day like 2026-11-21 or a time");
    if (*time <= now_s) wire::refuse(body.path(key), "has passed already");
    return time;
}

nlohmann::json or_null(const std::optional<std::int64_t>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

bool is_blank(const std::string& text) {
    return text.find_first_not_of(" \t\r\n") == text.npos;
}

http::Response object_response(nlohmann::json object, int status) {
    auto response = http::json_response("", status);
    response.document = std::make_shared<nlohmann::json>(std::move(object));
    return response;
}

void write_document(http::Response& response) {
    if (response.document == nullptr) return;
    response.body = wire::write_json(*response.document);
    response.document.reset();
}

}  // namespace vigil::service
