#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "service/cli/common/command.hpp"
#include "service/cli/init/guess.hpp"

namespace vigil::cli {

/// The benchmarks that a program of many lists.
struct ListedCases {
    std::optional<std::size_t> count = {};  ///< nothing: not known
    std::string why_unknown = {};           ///< one line; empty where it is no such program
};

/// Runs the guessed program with the option that lists its benchmarks, for ten seconds at most,
/// where it is built in the work tree.
ListedCases list_cases(
    const RecipeGuess& guess, const std::filesystem::path& root, const Surroundings& world);

/// Lines that hold a name.
std::size_t count_names(std::string_view output);

}  // namespace vigil::cli
