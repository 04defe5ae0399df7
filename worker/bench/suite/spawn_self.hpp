#pragma once

#include <string>
#include <vector>

namespace vigil_bench {

/// How a process of this program ended.
struct SelfEnd {
    std::string output;  ///< its standard output
    int status = 0;      ///< as waitpid() says it
};

/// Runs this program once for each command line, all at once, and waits for all. Standard error is
/// this process's. Several measure in turns (measure/turns.hpp), so that each sees the same moments
/// of the machine. They die with this process.
/// @param commands  [n] n >= 1, without the program's name
/// @throws std::runtime_error when a process or the folder of the turns cannot be made
std::vector<SelfEnd> spawn_self(const std::vector<std::vector<std::string>>& commands);

}  // namespace vigil_bench
