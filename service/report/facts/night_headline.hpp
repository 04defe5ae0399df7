#pragma once

#include <cstdint>
#include <string>

#include "schema/model/enum_names.hpp"
#include "service/report/facts/night_facts.hpp"

namespace vigil::service {

/// How a night stands: the first of these that holds.
enum class NightStanding {
    withdrawn,         ///< the whole night does not count
    failed,            ///< nothing was measured, or what was measured is not judged
    nothing_measured,  ///< it ended without a value of a judged series
    beside,            ///< measured beside the nights, not judged
    open,              ///< regressions of its project are open
    running,
    incomplete,    ///< something is missing, or suspicions wait or could not be measured again
    not_compared,  ///< no series has an earlier night to compare with
    all_clear
};

/// What is said of a night wherever it is named: in its summary, on pages and badges, in messages,
/// in the HTTP interface, on the command line.
struct NightHeadline {
    NightStanding standing = NightStanding::running;
    std::string words;  ///< "2 open, 1 new, 3 missing"; "all clear"
    /// "12 of 16 series compared in 24 runs, 4 measured for the first time"; neither names nor
    /// texts of others.
    std::string coverage;
    std::int64_t open = 0;   ///< regressions of its project
    std::int64_t fresh = 0;  ///< regressions that it found, in any state
    std::int64_t missing = 0;
    std::int64_t waiting = 0;      ///< suspicions that wait for another night's runs
    std::int64_t undecided = 0;    ///< suspicions without a verdict that do not wait
    std::int64_t unconfirmed = 0;  ///< suspicions that nothing could measure again
};

/// The headline of a night in any state. A pure function.
NightHeadline headline_of(const NightFacts& facts);

}  // namespace vigil::service
