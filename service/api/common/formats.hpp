#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"

// Lists for programs that want no JSON, and for people. Pure functions.

namespace vigil::service {

enum class TableFormat {
    json,      ///< {"items": [...], "next_cursor": ...}
    ndjson,    ///< one thing a line
    csv,       ///< RFC 4180, with a header
    markdown,  ///< a table
};

/// What the parameter `format` asks for, else the header `Accept`, else JSON.
/// @throws Error{invalid_argument} naming the choices
TableFormat format_of(const http::Request& request);

/// Things as anything but `json`. A table has one column for each of `columns`, which are paths
/// into a thing ("culprit_commit/author", headed culprit_commit_author); without any, for each
/// member that is text, a number or a flag, also of objects in it. Lists in a cell are their count,
/// and what is missing is empty. In CSV a text that a spreadsheet would take for a formula has a
/// quote before it.
http::Response list_in(
    TableFormat format, const nlohmann::json& items, const std::vector<std::string_view>& columns);

/// The target of `request` with another cursor: the page that comes next.
std::string next_target(const http::Request& request, const std::string& cursor);

}  // namespace vigil::service
