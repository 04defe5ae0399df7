#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"
#include "service/store/lists/list.hpp"

namespace vigil::wire {
class ObjectReader;
}

// What routes share: of lists filters, limit and cursor; ids, answers.

namespace vigil::service {

constexpr int default_page_size = 50;
constexpr int max_page_size = 500;

/// Reads `limit` and `cursor`, and refuses any query parameter but these and `filters`.
/// @throws Error{invalid_argument}
Page parse_page(const http::Request& request, const std::vector<std::string>& filters = {});

/// Refuses any query parameter but these. @throws Error{invalid_argument}
void check_query(const http::Request& request, const std::vector<std::string>& known);

/// A text, or null for an empty one.
nlohmann::json text_or_null(const std::string& text);

/// What a handler adds to each thing, as it is known outside of the ledger.
using Finish = void (*)(nlohmann::json& thing, Database&, const HandlerContext&);

/// A page of a list: {"items": ..., "next_cursor": ...}.
http::Response list_response(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const List& list,
    Finish finish = nullptr);

/// The one of a list whose id is in the route, with its parts.
http::Response one_response(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const List& list,
    Finish finish = nullptr);

/// The same as handlers of routes.
template <const List& list, Finish finish = nullptr>
http::Response list_of(const http::Request& request, Database& db, const HandlerContext& context) {
    return list_response(request, db, context, list, finish);
}
template <const List& list, Finish finish = nullptr>
http::Response one_of(const http::Request& request, Database& db, const HandlerContext& context) {
    return one_response(request, db, context, list, finish);
}

std::optional<std::string> text_filter(const http::Request& request, const std::string& name);

/// @throws Error{invalid_argument} unless it is a number >= 0
std::optional<std::int64_t> number_filter(const http::Request& request, const std::string& name);

/// The id in the route's parameter `name`. @throws Error{not_found} unless it is a positive number
std::int64_t id_parameter(const http::Request& request, const std::string& name = "id");

/// Longest reason that a person gives for a change.
constexpr std::size_t max_reason_bytes = 2000;

/// The time that a body names, as a day or a time ("until") or as UTC seconds ("until_s").
/// @throws Error{invalid_argument} when it is none, when both are given, or unless it is to come
std::optional<std::int64_t> find_coming_time(
    wire::ObjectReader& body, const std::string& key, std::int64_t now_s);

bool is_blank(const std::string& text);

nlohmann::json or_null(const std::optional<std::int64_t>& value);

/// A reply whose body is `object`, written when it leaves: pages read the object itself.
http::Response object_response(nlohmann::json object, int status = 200);

/// Writes the document of a reply as its body, where it has one.
void write_document(http::Response& response);

}  // namespace vigil::service
