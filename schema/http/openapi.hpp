#pragma once

#include <string_view>

// The description of the HTTP interface, as it travels inside of the program; embed.py writes it.

namespace vigil::http {

std::string_view openapi_yaml();
std::string_view openapi_json();
/// One page for people: no scripts, nothing from elsewhere.
std::string_view openapi_html();

}  // namespace vigil::http
