#pragma once

#include <string>

#include "bisect/detect/series_answer.hpp"

namespace vigil::service {

/// An answer as the column `suspicion.answer` keeps it: JSON.
std::string to_text(const detect::Answer& answer);
/// @throws Error{invalid_argument} on anything else
detect::Answer parse_answer(const std::string& text);

}  // namespace vigil::service
