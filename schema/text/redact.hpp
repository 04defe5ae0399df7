#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vigil::text {

/// The text with "[secret]" wherever one of these secrets stands, be it as it is, or as JSON
/// (\u0041, \/) or a URL (%41) writes its characters. One of fewer than six bytes is passed over:
/// it would be found everywhere. A pure function.
std::string redact(std::string_view text, const std::vector<std::string>& secrets);

}  // namespace vigil::text
