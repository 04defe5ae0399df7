#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace vigil::cli {

/// What the program sees of the world; tests give their own.
struct Surroundings {
    std::istream* in = nullptr;  ///< only commands that talk over it read it
    std::ostream* out = nullptr;
    std::ostream* err = nullptr;
    std::map<std::string, std::string> environment;  ///< all of it: builds and runs inherit it
    bool terminal = false;                           ///< `out` is one
    std::size_t width = 0;                           ///< of the terminal; 0: not one
    std::function<std::int64_t()> now_s;             ///< UTC
    std::function<void(int)> pause_s;                ///< waits this many seconds
    /// Runs a script with bash, on our own streams. @return how it ended; 128 + N after signal N
    std::function<int(const std::string&)> run_script;
    std::function<std::string()> random_key;  ///< a new idempotency key
    std::filesystem::path child_program;      ///< vigil-child; empty: beside this program
};

/// Runs one command line.
/// @param args  without the program's name
/// @return  the exit code (options.hpp)
int run(const std::vector<std::string>& args, const Surroundings& world);

}  // namespace vigil::cli
