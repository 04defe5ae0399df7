#pragma once

#include <string_view>
#include <vector>

namespace vigil::http {

/// Whether a header like `Accept` or `Accept-Encoding` takes one of these names, by the most
/// specific of its entries that speaks of it: "text/csv" before "text/*" before "*/*" or "*".
/// @param list   of the header, such as "text/csv;q=0.5, */*;q=0"
/// @param names  lower case, without parameters
/// @source  RFC 9110, sections 12.4.2 and 12.5
bool accepts(std::string_view list, const std::vector<std::string_view>& names);

}  // namespace vigil::http
