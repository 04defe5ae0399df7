#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "schema/model/enum_names.hpp"
#include "schema/model/states.hpp"
#include "worker/run/run.hpp"

namespace vigil::worker {

/// Whose builds may add to the compiler cache that all builds read. What one of them writes there,
/// another one takes for its own compiler's work.
enum class CacheWriters { none, nightly, all };

/// The compiler cache that builds share: results by digest (ccache's remote storage), in a folder
/// or behind HTTP, without a configuration that a job could change. Each command's own cache lies
/// in its scratch folder and goes with it.
struct BuildCache {
    std::filesystem::path folder;  ///< empty: there is none
    CacheWriters writers = CacheWriters::none;
    std::string url = {};    ///< in place of a folder: of a cache that is reached by HTTP
    std::string token = {};  ///< that it is shown; may be empty

    bool is_there() const { return !folder.empty() || !url.empty(); }

    MountAccess access_for(Purpose purpose) const {
        const bool writes = writers == CacheWriters::all ||
                            (writers == CacheWriters::nightly && purpose == Purpose::nightly);
        return writes ? MountAccess::writable : MountAccess::read_only;
    }

    /// What is compiled of Vigil's own source against the machine's own libraries is as good as any
    /// build that may write.
    MountAccess access_for_own() const {
        return writers == CacheWriters::none ? MountAccess::read_only : MountAccess::writable;
    }

    /// Removes what was used longest ago, until the rest is below the limit. Errors are passed
    /// over.
    void trim(std::int64_t max_bytes) const;
};

/// Debian's links that put ccache before a compiler.
inline constexpr const char* ccache_links = "/usr/lib/ccache";

/// Makes the links "cc" and "c++" that are not there. Debian makes its own ones when ccache is
/// installed: where that came before the compiler, the names that most builds use are missing.
/// @param links  Debian's
/// @param into   a folder that is made when a link is
void add_missing_links(const std::filesystem::path& links, const std::filesystem::path& into);

}  // namespace vigil::worker
