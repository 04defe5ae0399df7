#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bisect/search/evidence.hpp"
#include "bisect/search/posterior.hpp"
#include "bisect/search/search.hpp"

namespace vigil::search {

/// What a series needs next.
enum class Need {
    ends,    ///< measure the two ends against each other
    verify,  ///< measure a pair against each other
    search,  ///< measure whatever teaches most
    wait,    ///< another series searches first; it most likely has the same culprit
    nothing  ///< it has its ending
};

/// A gap that holds a verified change.
struct Accepted {
    int gap = 0;
    SeriesEnding ending;
    double effect = 0;
};

struct Assessment {
    Need need = Need::ends;
    Evidence evidence;
    std::optional<Posterior> posterior;
    int before = 0;  ///< ends or verify: the pair, as commits
    int after = 0;
    int runs = 2;                       ///< ends or verify: runs a side
    std::string why;                    ///< of the need
    std::vector<SeriesEnding> further;  ///< lesser changes that were verified too
    SeriesEnding ending;  ///< of `nothing`; otherwise the ending if the search stopped here
};

/// Where one series stands. Pure: the same facts give the same assessment.
Assessment assess(
    const Problem& problem,
    const Facts& facts,
    const Line& line,
    const Availability& availability,
    int series);

}  // namespace vigil::search
