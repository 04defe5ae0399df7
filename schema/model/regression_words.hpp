#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/states.hpp"

// The words by which regressions are asked for: a state, how they ended, or `open`, which is every
// state of `is_open`. `confirmed` means `open` too: it is how each of them begins.

namespace vigil {

/// All of them, `open` first.
std::vector<std::string> regression_words();

/// The states and ends that a word stands for, as they are stored.
/// @throws Error{invalid_argument} naming the choices
std::vector<std::string_view> stored_words(std::string_view word);

/// The word for what became of it: how it ended, else its state.
std::string_view standing_word(RegressionState state, std::optional<RegressionEnd> ended_as);

/// Whether any of these words asks for a regression.
bool is_asked_for(
    const std::vector<std::string>& words,
    RegressionState state,
    std::optional<RegressionEnd> ended_as);

}  // namespace vigil
