#pragma once

#include <optional>
#include <span>

#include "service/local/builds/repository.hpp"
#include "service/local/builds/workshop.hpp"
#include "service/local/story.hpp"

// Where a search begins, and where it goes on once it has found a merge.

namespace vigil::local {

/// The first line of a search of these suspects.
Started start_of(Repository& repository, const Order& order, const history::Range& range);

/// The merge, or the commit that only moves a submodule, to look into after a search that came to
/// its end, and by which parent: its culprit, or the newest merge of a range that could not be told
/// apart; or, where the commits of one parent do not show it alone, the next parent, or the next
/// older merge of the range.
/// @param before  the searches before this one, outer first
std::optional<Inside> next_inside(
    Repository& repository,
    const Story& story,
    const search::SeriesEnding& ending,
    std::span<const Found> before);

/// The first line of the search of what a merge's parent brought, or of a submodule's commits.
/// @throws Error{conflict, not_found ...} when that is nothing, or cannot be read
Started start_inside(
    Repository& repository, Submodules& submodules, const Order& order, const Inside& inside);

/// Where the commits of a search are built; nullopt: they are the project's.
std::optional<Workshop::MovedSubmodule> place_of(Repository& repository, const Started& start);

/// Of the culprits of a search: what they move of the project's dependencies, and of merges whether
/// what they brought can be searched, or why not.
std::vector<LogEntry> culprits_of(
    Repository& repository, const Story& story, const search::Decision& decision);

}  // namespace vigil::local
