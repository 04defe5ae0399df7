#pragma once

#include <compare>
#include <string_view>
#include <vector>

namespace vigil::http {

/// How much a client wants one of several forms.
struct Preference {
    int weight = 0;  ///< in thousandths; 0: not at all
    int names = 0;   ///< 3: it names the form, 2: its group, 1: all; 0: it does not speak of it
    friend auto operator<=>(const Preference&, const Preference&) = default;
};

/// What a header like `Accept` or `Accept-Encoding` says of a name, by the most specific of its
/// entries that speaks of it: "text/csv" before "text/*" before "*/*" or "*". A weight that is none
/// counts as 1.
/// @param list  of the header, such as "text/csv;q=0.5, */*;q=0"
/// @param name  lower case, without parameters
/// @source  RFC 9110, sections 12.4.2 and 12.5
Preference preference_of(std::string_view list, std::string_view name);

/// Whether the list takes one of these names.
bool accepts(std::string_view list, const std::vector<std::string_view>& names);

}  // namespace vigil::http
