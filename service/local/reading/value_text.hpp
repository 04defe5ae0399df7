#pragma once

#include <string>
#include <string_view>

namespace vigil::local {

/// "12.30 ms", "45.20 MiB", "3.4 ops/ms"; without a unit the digits that were printed: "1234.6".
/// @param unit  "ns" and "bytes" are scaled, anything else stays
std::string value_text(double value, std::string_view unit);

/// "+18.3 %"; "unknown" where it is not finite.
std::string percent_text(double ratio);

}  // namespace vigil::local
