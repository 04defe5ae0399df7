#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/config/config.hpp"
#include "service/config/reader.hpp"

// What a config says that can be read, and is hardly what was meant.

namespace vigil::service {

/// What `vigil init` writes where a person has to say something.
constexpr std::string_view unfilled_mark = "FILL IN";

/// Values that are still marked are errors: nothing that they stand for could be measured.
void note_unfilled(const ConfigDocument& document, ConfigErrors& errors);

/// Marks in comments, benchmark programs of which no result is named, programs that size their own
/// loop whose process is the sample, and rules of series without effect.
/// @return  "<file>:<line>: <what> <why>"
std::vector<std::string> warnings_of(
    const ConfigDocument& document, std::string_view text, const Config& config);

}  // namespace vigil::service
