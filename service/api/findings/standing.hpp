#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bisect/search/search.hpp"

// Where a search stands, for whoever waits for it. Pure functions.

namespace vigil::service {

/// Commits that still may hold the change of some series, inclusive; in commits 1..suspects.
struct CommitsLeft {
    int first = 0;
    int last = 0;
    int count = 0;  ///< between them, those that may
};

/// Of each series those that hold its change with 95 %, together.
/// @param posterior  [series][suspects] as in search::Decision; empty: all are left
CommitsLeft commits_left(const std::vector<std::vector<double>>& posterior, int suspects);

/// About how many probes a search still asks for: it halves what is left, and then verifies.
/// @param left      commits that may hold the change, >= 1
/// @param verifies  it does so already
/// @param open      probes that were asked for and have not ended
int probes_left(int left, bool verifies, int open);

/// About when a search ends, at the pace of its probes so far.
/// @param begun_s  when it began
/// @param ended_s  when its newest probe ended
/// @param ended    how many have
/// @return nothing before the first has ended
std::optional<std::int64_t> expected_end_s(
    std::int64_t begun_s, std::int64_t ended_s, int ended, int left, std::int64_t now_s);

}  // namespace vigil::service
