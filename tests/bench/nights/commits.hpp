#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bisect/history/history.hpp"

namespace vigil::nights {

/// Where a commit stands: on the line, or on a branch that the line's commit at `pos` merges.
struct Place {
    int pos = 0;
    int left = -1;   ///< position of the line that its branch left; -1: on the line
    int index = -1;  ///< in its branch
    int night = 0;   ///< that it belongs to
    bool on_branch() const { return left >= 0; }
};

/// An invented history. Commits are numbered by age; each night ends with a commit of the line.
class Commits {
  public:
    /// @param places  oldest first; those of a branch right before the commit that merges it
    Commits(std::vector<Place> places, std::set<int> broken, int nights);

    int count() const { return static_cast<int>(places_.size()); }
    const Place& at(int commit) const { return places_[static_cast<std::size_t>(commit)]; }
    int on_line(int pos) const { return line_[static_cast<std::size_t>(pos)]; }
    int tip(int night) const { return tips_[static_cast<std::size_t>(night)]; }
    const std::vector<int>& of_night(int night) const {
        return of_night_[static_cast<std::size_t>(night)];
    }
    /// The commits of the branch that the line's commit at `pos` merges; empty: it is no merge.
    const std::vector<int>& branch(int pos) const;
    /// Commits that bring or end a branch: where one does not build, what it brought stays hidden.
    std::set<int> ends_of_branches() const;

    bool is_broken(int commit) const { return broken_.contains(commit); }
    void break_build(int commit) { broken_.insert(commit); }

    /// Whether `newer` is `older` or descends from it.
    bool holds(int newer, int older) const;

    const Revision& revision(int commit) const {
        return revisions_[static_cast<std::size_t>(commit)];
    }
    /// @throws std::out_of_range for a revision that is none of these
    int number(const std::string& revision) const { return numbers_.at(revision); }
    std::int64_t committed_at_s(int commit) const;

    /// What history::list_range says of two commits.
    /// @throws Error{conflict} when `good` holds `bad`
    history::Range range(const Revision& good, const Revision& bad) const;

  private:
    int first_parent(int commit) const;  ///< -1: it has none

    std::vector<Place> places_;
    std::set<int> broken_;
    std::vector<int> line_;
    std::vector<int> tips_;
    std::vector<std::vector<int>> of_night_;
    std::map<int, std::vector<int>> branches_;
    std::vector<Revision> revisions_;
    std::map<std::string, int> numbers_;
};

}  // namespace vigil::nights
