#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "service/local/request.hpp"
#include "service/local/story.hpp"
#include "service/local/why.hpp"

namespace vigil::local {

/// Its decisions are done unless stopped.
struct BisectResult : SearchAccount {
    std::filesystem::path log;
    std::filesystem::path folder;
    std::uintmax_t kept_bytes = 0;  ///< of products
    bool stopped = false;
    std::optional<LocalWhy> why = {};  ///< where it was asked for and a culprit is named
};

/// Searches the commits after `good` up to `bad` for the one that made the benchmark worse, in
/// worktrees of its own; where that is a merge, it goes on inside. What it does is written to a log
/// before it is done, so that the same request goes on where a kill or a signal ended it; a search
/// that came to its end is only read.
/// @throws Error{conflict} when an end can be neither built nor measured; and as Bench does
BisectResult bisect(const LocalRequest& request, const World& world);

}  // namespace vigil::local
