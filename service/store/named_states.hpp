#pragma once

#include <string>
#include <string_view>

namespace vigil::service {

/// SQL in which a set of states stands by its name: "state IN {open_jobs}" becomes
/// "state IN (...)" with these states, quoted. Braces without a name stay.
/// @throws Error{internal} when there is no such set
std::string with_named_states(std::string_view sql);

}  // namespace vigil::service
