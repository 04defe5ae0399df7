#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace vigil::service {

/// The golden file's text. With VIGIL_UPDATE_GOLDEN set it is written anew first, for a person to
/// read in the diff.
inline std::string golden(const std::string& name, const std::string& actual) {
    const std::string path = std::string(VIGIL_SOURCE_DIR) + "/tests/data/report/" + name;
    if (std::getenv("VIGIL_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path, std::ios::binary) << actual;
    }
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace vigil::service
