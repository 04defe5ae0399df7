#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"

// Fields of a form that makes the address of a list (filters.html). Pure functions.

namespace vigil::service {

using GivenFilters = std::map<std::string, std::string>;

/// One of a few words, or any; the value that is given stands among them in any case.
/// @param otherwise  what it is where none is chosen
nlohmann::json choice_field(
    const std::string& name,
    const std::string& label,
    const std::vector<std::string>& choices,
    const GivenFilters& given,
    const std::string& otherwise = "any");

nlohmann::json text_field(
    const std::string& name, const std::string& label, const GivenFilters& given);

/// The form of these fields.
nlohmann::json filter_form(nlohmann::json fields);

/// The address of the list's next page; null at its end.
/// @param cursor  empty: it is the end
nlohmann::json next_view(const http::Request& request, const std::string& cursor);

template <class Value>
std::vector<std::string> names_in(const std::map<std::string, Value>& config) {
    std::vector<std::string> names;
    for (const auto& [name, value] : config) names.push_back(name);
    return names;
}

}  // namespace vigil::service
