#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

// The file .gitmodules: which repository a submodule's commit is of. Its text is a stranger's.

namespace vigil::history {

constexpr int max_submodules = 500;     ///< of one tree, with those of its submodules
constexpr int max_submodule_depth = 8;  ///< submodules of submodules
constexpr std::int64_t max_gitmodules_bytes = 1 << 20;

struct Submodule {
    std::string name;
    std::string path;    ///< below the folder of the file
    std::string url;     ///< as it is written: an address, a path, or relative to its repository's
    bool wanted = true;  ///< false: "update = none", git leaves the folder empty too
};

/// By path. Of two values of one key the first one counts, as in git; what has no path is left out.
/// @throws Error{invalid_argument} where the text is not one that git reads, or a path is absolute
///         or leaves the tree
std::map<std::string, Submodule, std::less<>> parse_gitmodules(std::string_view text);

/// Where a submodule's repository is: its address as it is, or put together with its repository's
/// as git does. Only http, https, git, ssh and machine:path; a path of this machine only where its
/// repository is on it too.
/// @param within  addresses or paths of the repositories that it lies in, the project's first
/// @param taken   how many submodules the tree has without it
/// @throws Error{invalid_argument} where it is not allowed, leads above the root, or is one of
///         those that it lies in; or where it lies too deep, or is one too many
std::string submodule_address(
    const Submodule& module, std::span<const std::string> within, int taken);

}  // namespace vigil::history
