#pragma once

#include <functional>
#include <string>
#include <vector>

// How a repository is built and measured, guessed from the files that stand in it. Pure functions.

namespace vigil::cli {

/// What stands in a repository.
struct SourceFiles {
    std::vector<std::string> names;  ///< relative to its root, sorted
    /// The text of one of them; empty when it cannot be read. Only its beginning, when it is long.
    std::function<std::string(const std::string& name)> read;
};

/// A recipe and a benchmark to begin with.
struct RecipeGuess {
    std::string kind = {};                   ///< "CMake", ...; empty: nothing known stands there
    std::vector<std::string> commands = {};  ///< for /bin/sh, in order; may be none
    std::vector<std::string> outputs = {};
    std::string benchmark = "start";
    std::string command = {};                      ///< for /bin/sh; empty: a person has to say
    std::string format = "none";                   ///< of the samples, as the config names it
    bool has_cases = false;                        ///< each benchmark that it prints is a series
    std::vector<std::string> case_arguments = {};  ///< by which it runs one of them; may be none
    std::string program = {};                      ///< of `command`, where the build puts it
    std::vector<std::string> list_arguments =
        {};  ///< by which it prints a case a line; may be none
    std::vector<std::string> judged = {"cpu_time_ns", "peak_process_bytes"};
    /// What a person has to look at, one sentence each.
    std::vector<std::string> about_build = {};
    std::vector<std::string> about_benchmark = {};
};

/// The first of CMake, Meson, Cargo, Go, Maven, npm, Python and Make that the root has a file of.
/// Where the benchmark is of a harness that sizes its own loop, what it prints is read.
RecipeGuess guess_recipe(const SourceFiles& files);

/// A project's name from a folder's: what the config does not take becomes '-'.
std::string project_name(const std::string& folder);

}  // namespace vigil::cli
