#pragma once

#include <string>
#include <string_view>

namespace vigil::profile {

/// Whether a path lies below a folder; below none where that is empty.
bool is_below(std::string_view path, std::string_view folder);

/// A source file as its project names it: relative to the product's folder or to the folder where
/// it was built, whichever it lies below; each build may lie elsewhere. A compiler that writes "."
/// for the tree's folder (-ffile-prefix-map) calls src/a.cpp "./build/./src/a.cpp".
/// @param own, source  the two folders, absolute; empty: not known
/// @return  `file` itself where it lies elsewhere
std::string project_file(std::string_view file, std::string_view own, std::string_view source);

}  // namespace vigil::profile
