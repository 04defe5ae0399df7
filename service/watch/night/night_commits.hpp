#pragma once

#include "bisect/history/history.hpp"
#include "service/store/nights/night_commits.hpp"

// What is kept of the commits that a night brought. Pure functions.

namespace vigil::service {

constexpr int most_night_commits = 300;

/// Why a project's first night has none.
NightCommits none_before_first();

/// @param range  what a night has and the one before it has not
/// @return  the newest most_night_commits of them, with subjects and authors of bounded length;
///          none where the branch was rewritten in between, as the two nights then differ by more
///          than what one of them has
NightCommits kept_of(const history::Range& range);

}  // namespace vigil::service
