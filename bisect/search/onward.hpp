#pragma once

#include <optional>
#include <vector>

#include "bisect/search/search.hpp"

// Where a search goes on once it has found a merge: inside of it, one parent after the other. A
// range of the line that cannot be told apart, because commits of it do not build, is gone into
// alike, one merge after the other: what these brought may build.

namespace vigil::search {

constexpr int most_depth = 16;  ///< of merges inside of merges

/// A way into an answer: a merge of it, and the parent that brought what is searched.
struct Door {
    int merge = 0;   ///< index into the answer's commits, newest first
    int parent = 2;  ///< from 2
    friend bool operator==(const Door&, const Door&) = default;
};

/// A search that came to its end.
struct FinishedSearch {
    Ending ending = Ending::range;
    bool verified = false;         ///< of a range: its ends were measured against each other
    std::vector<int> answer = {};  ///< how many parents each commit of its answer has, newest first
    int depth = 1;                 ///< searches on the way here, this one counted
    /// Inside of a merge: by which door of the search that led here, and what that one answered.
    std::optional<Door> door = {};
    std::vector<int> outer = {};
};

struct Onward {
    bool deeper = false;  ///< into this search's answer; else by another door of the outer one's
    Door door;
    friend bool operator==(const Onward&, const Onward&) = default;
};

/// @return nullopt: what was found is the answer
std::optional<Onward> onward(const FinishedSearch& ended);

/// What a search has used of its budget: the probes and runs that it asked for, and the commits
/// between its ends that were built or failed to, each once. The ends are not counted.
struct Spent {
    int probes = 0;
    int builds = 0;
    int runs = 0;

    Spent& operator+=(const Spent& more);
};
Spent spent_by(const Problem& problem, const Facts& facts);

/// All searches on the way into a merge share one budget. Nothing left: none begins.
Budget left_of(const Budget& budget, const Spent& spent);
bool is_left(const Budget& budget);

/// What a search inside of an answer inherits: the series of these endings, at the size that was
/// verified, costs, workers, and what is left of the budget. What was measured of the line and its
/// weights say nothing of a merge's commits.
Problem problem_inside(
    const Problem& outer, const Spent& spent, const std::vector<SeriesEnding>& endings);

}  // namespace vigil::search
