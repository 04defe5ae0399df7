#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "schema/model/enum_names.hpp"

// What all list routes share: filters, limit, cursor.

namespace vigil::service {

constexpr int default_page_size = 50;
constexpr int max_page_size = 500;

/// Which part of a list is asked for; lists are newest (largest id) first.
struct Page {
    std::int64_t before_id = 0;  ///< only ids below it
    int limit = default_page_size;
};

/// Reads `limit` and `cursor`, and refuses any query parameter but these and `filters`.
/// @throws Error{invalid_argument}
Page parse_page(const http::Request& request, std::initializer_list<std::string_view> filters = {});

/// Refuses any query parameter but these. @throws Error{invalid_argument}
void check_query(const http::Request& request, std::initializer_list<std::string_view> known);

/// {"items": ..., "next_cursor": ...}. @param items  an array of at most page.limit + 1 objects
/// with "id": the one too many says that there is a next page, and is dropped
http::Response page_response(nlohmann::json items, const Page& page);

/// A filter's text; nothing when it was not given.
std::optional<std::string> text_filter(const http::Request& request, const std::string& name);

/// @throws Error{invalid_argument} unless it is a number >= 0
std::optional<std::int64_t> number_filter(const http::Request& request, const std::string& name);

/// A filter that must be one of an enum's names, as text. @throws Error{invalid_argument}
template <NamedEnum Enum>
std::optional<std::string> enum_filter(const http::Request& request, const std::string& name) {
    const auto text = text_filter(request, name);
    if (!text) return std::nullopt;
    return std::string(to_string(parse_enum<Enum>(*text)));
}

/// The id in the route's parameter `name`. @throws Error{not_found} unless it is a positive number
std::int64_t id_parameter(const http::Request& request, const std::string& name = "id");

/// Longest reason that a person gives for a change.
constexpr std::size_t max_reason_bytes = 2000;

/// Spaces are no reason.
bool is_blank(const std::string& text);

/// The JSON column's value, or `null` when the ledger holds something else (never thrown).
nlohmann::json stored_json(const std::string& text);

/// The value, or JSON null.
nlohmann::json or_null(const std::optional<std::int64_t>& value);
nlohmann::json or_null(const std::optional<std::string>& value);

http::Response object_response(const nlohmann::json& object, int status = 200);

/// @throws Error{not_found} "there is no job 12"
[[noreturn]] void throw_missing(std::string_view noun, std::int64_t id);

}  // namespace vigil::service
