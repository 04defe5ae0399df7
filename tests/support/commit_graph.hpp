#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bisect/history/history.hpp"

namespace vigil::tests {

/// A branch that a commit merges, of the line or of another branch.
struct Branch {
    int merge = 0;             ///< several branches of one merge are an octopus, in their order
    int from = 0;              ///< the commit it left
    std::vector<int> commits;  ///< oldest first; numbers beyond those of the line
};

/// An invented history of numbered commits: a line, and branches that were merged into it.
class CommitGraph {
  public:
    /// @param last  of the line, which begins at 0
    CommitGraph(int last, const std::vector<Branch>& branches);

    static std::string revision(int commit);
    /// Of a real repository: what a commit is called there.
    void name(int commit, const Revision& revision) { numbers_[revision.str()] = commit; }
    int number(const Revision& revision) const;
    /// Whether `newer` is `older` or descends from it.
    bool holds(int newer, int older) const;

    /// What history::list_range says of two commits, of which the newer's line leaves the older's.
    history::Range range(const Revision& good, const Revision& bad) const;

  private:
    std::map<int, std::vector<int>> parents_;
    std::map<int, std::set<int>> held_;
    std::map<std::string, int> numbers_;
};

}  // namespace vigil::tests
