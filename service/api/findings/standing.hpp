#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bisect/search/search.hpp"
#include "schema/model/states.hpp"
#include "service/api/common/context.hpp"
#include "service/report/facts/regression_facts.hpp"

// Where a search stands, for whoever waits for it: REST writes it as JSON, pages render it.

namespace vigil::service {

/// Commits that still may hold the change of some series, inclusive; in commits 1..suspects.
struct CommitsLeft {
    int first = 0, last = 0;
    int count = 0;  ///< between them, those that may
};

/// How likely each commit is to hold the change of one series.
struct SeriesChances {
    SeriesId series;
    std::vector<double> probabilities;  ///< of the commits 1..suspects
    std::vector<int> credible;          ///< those that hold it with 95 %, together
};

/// A change that a search has verified, while it goes on.
struct VerifiedChange {
    SeriesId series;
    Revision first, last;
    double change_ratio = 0;
};

/// How far its probes are, and how many it still asks for.
struct SearchPace {
    int open = 0, ended = 0, left = 0;
    std::optional<std::int64_t> expected_end_s;
};

/// What a search says, and of which series: while it goes on by its own code, afterwards as it was
/// noted.
struct SearchStanding {
    BisectionId bisection;
    BisectionState state = BisectionState::listing;
    std::string summary;
    int commits = 0;
    CommitsLeft left;
    std::vector<SeriesChances> series;
    std::vector<VerifiedChange> verified;
    std::optional<SearchPace> pace;  ///< nothing: it is over, or not begun
};
/// @throws Error{not_found}
SearchStanding load_standing(Database& db, const HandlerContext& context, BisectionId id);

/// The levels of a regression's series along the commits of its search, as its report draws them.
struct RegressionLevels {
    struct Series {
        SeriesId series;
        std::vector<search::CommitLevel> marks;
    };
    std::vector<Revision> revisions;  ///< of the commits, by position; the good one is the first
    std::vector<Series> series;

    int commits() const { return std::max(0, static_cast<int>(revisions.size()) - 1); }
    const Revision& at(int position) const {
        return revisions.at(static_cast<std::size_t>(position));
    }
};
/// @throws Error{not_found}
RegressionLevels load_levels(Database& db, const HandlerContext& context, RegressionId id);

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
