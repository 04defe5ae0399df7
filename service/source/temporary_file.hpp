#pragma once

#include <filesystem>
#include <system_error>

namespace vigil::service {

/// Removes the file at the end, unless it was moved to its place before.
struct TemporaryFile {
    std::filesystem::path path;  ///< empty: there is none yet

    ~TemporaryFile() {
        std::error_code ignored;  // what cannot be removed is swept at the next start
        std::filesystem::remove(path, ignored);
    }
};

}  // namespace vigil::service
