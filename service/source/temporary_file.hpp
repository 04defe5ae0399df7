#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace vigil::service {

/// Removes the file, or the folder with all in it, at the end, unless it was moved before.
struct TemporaryFile {
    std::filesystem::path path;  ///< empty: there is none yet

    ~TemporaryFile() {
        std::error_code ignored;  // what cannot be removed is swept at the next start
        std::filesystem::remove_all(path, ignored);
    }
};

/// A file's bytes; none when it cannot be read.
inline std::string text_of_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Writes it beside its place, and moves it there. @return whether that went well
inline bool replace_file(const std::filesystem::path& file, const std::string& text) {
    const std::filesystem::path fresh = file.string() + ".new";
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out << text << std::flush;
    std::error_code failure;
    if (out) std::filesystem::rename(fresh, file, failure);
    return out && !failure;
}

}  // namespace vigil::service
