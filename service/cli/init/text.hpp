#pragma once

#include <map>
#include <string>

#include "service/cli/init/guess.hpp"

// What `vigil init` writes. Pure functions.

namespace vigil::cli {

/// Where it is written, and for what.
struct InitPlace {
    std::string folder;      ///< of the configs, absolute
    std::string repository;  ///< absolute
    std::string branch;
    std::string project;   ///< its name
    std::string programs;  ///< folder of vigild and vigil-worker, absolute
};

/// The mark of what a person has to fill in or look at.
constexpr const char* fill_in_mark = "FILL IN";

/// The files by name: configs, units of a user's systemd, and what keeps them out of the
/// repository.
std::map<std::string, std::string> init_files(const InitPlace& place, const RecipeGuess& guess);

/// What to do next, as commands that work as pasted in any folder.
std::string next_steps(const InitPlace& place, const RecipeGuess& guess);

}  // namespace vigil::cli
