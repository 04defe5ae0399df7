#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace vigil::history {

/// Whether a file is one of CMake, by its name.
bool is_cmake_file(std::string_view path);

/// A GIT_TAG of a call in a file of CMake, with the GIT_REPOSITORY of the same call, as written.
struct GitTag {
    std::string repository;
    std::string tag;
    std::size_t at = 0;  ///< where the tag begins in the text
};

/// The one whose tag stands in a line. Linear time.
/// @param text  of the file; a stranger's
/// @param line  from 1
/// @return nullopt: no call has both there, or one of them holds a variable
std::optional<GitTag> find_git_tag(std::string_view text, int line);

}  // namespace vigil::history
