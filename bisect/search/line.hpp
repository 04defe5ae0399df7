#pragma once

#include <vector>

#include "bisect/search/search.hpp"

namespace vigil::search {

/// The commits in places: a place is a stretch of commits whose known products are equal, and
/// stands at its first commit.
class Line {
  public:
    Line(const Problem& problem, const Facts& facts);

    int last() const { return static_cast<int>(place_.size()) - 1; }  ///< the bad end
    int place(int commit) const { return place_[static_cast<std::size_t>(commit)]; }
    /// Prior probability that a change lies after commit `from`, up to and with `to`.
    double mass(int from, int to) const {
        return sums_[static_cast<std::size_t>(to)] - sums_[static_cast<std::size_t>(from)];
    }
    /// The newest commit of the place of `commit`: the closest stand-in for what follows it.
    int newest(int commit) const;
    /// The first and the last commit after `from`, up to and with `to`, that can hold a change.
    int first_suspect(int from, int to) const;
    int last_suspect(int from, int to) const;

  private:
    std::vector<int> place_;
    std::vector<double> sums_;  ///< cumulated weights, sums_[0] = 0
};

}  // namespace vigil::search
