#pragma once

#include <string>

namespace vigil_bench {

/// How many processors this process may use.
int processors();

/// What this machine computes with, such as "Intel Xeon 8375C, 2 processors".
std::string machine_words();

}  // namespace vigil_bench
