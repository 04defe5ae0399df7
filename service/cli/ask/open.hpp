#pragma once

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// The page of a regression, series, night or search in a browser. Its address is printed; where
/// no browser can be started that is all, and no error.
ExitCode open_page(const CommandContext& context);
/// @throws Error{invalid_argument} for a kind that has no page, or what is no number
void check_page_words(const Invocation& invocation, const Surroundings& world);

}  // namespace vigil::cli
