#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bisect/search/availability.hpp"
#include "bisect/search/evidence.hpp"
#include "bisect/search/posterior.hpp"
#include "bisect/search/search.hpp"
#include "bisect/search/size.hpp"

namespace vigil::search {

/// What a series needs next.
enum class Need {
    ends,    ///< measure the two ends against each other
    verify,  ///< measure a pair against each other
    search,  ///< measure whatever teaches most
    wait,    ///< another series searches first; it most likely has the same culprit
    nothing  ///< it has its ending
};

/// Two commits to measure against each other.
struct Pair {
    int before = 0;
    int after = 0;
    int runs = 2;  ///< a side
    std::string why;
    std::string not_on = {};  ///< the machine that must not measure them; empty: any may
};

/// A gap that holds a verified change.
struct Accepted {
    int gap = 0;
    SeriesEnding ending;
    Size size;
};

struct Assessment {
    Need need = Need::ends;
    SeriesEvidence evidence;
    std::optional<Posterior> posterior;
    Pair pair;                     ///< ends or verify
    std::optional<Pair> doubtful;  ///< a likely change, to be verified when nothing else teaches
    /// A rest may be there, and is too unlikely to build for: what is built is measured again.
    bool built_only = false;
    /// What looking for further changes cost is what it may cost.
    bool enough_spent = false;
    std::string unverified;              ///< why a likely change is not named; empty: none is
    std::vector<SeriesEnding> verified;  ///< changes so far, the largest first
    std::vector<SeriesEnding> further;   ///< lesser changes that were verified too
    SeriesEnding ending;  ///< of `nothing`; otherwise the ending if the search stopped here

    bool has_answer() const { return need == Need::nothing || built_only; }
};

/// Where one series stands. Pure: the same facts give the same assessment.
/// @param repeated  of series that are alike, what two machines verified: this one needs no second
///                  machine at the same commits
Assessment assess(
    const Problem& problem,
    const Facts& facts,
    const Line& line,
    const Availability& availability,
    int series,
    const std::vector<SeriesEnding>& repeated = {});

}  // namespace vigil::search
