#pragma once

#include <vector>

#include "bisect/search/levels.hpp"
#include "bisect/search/posterior.hpp"
#include "bisect/search/search.hpp"

// Changes of one series beside the largest.

namespace vigil::search {

/// What most likely lies in the range too: the stretch between known changes that holds more of it
/// than any other.
/// @param known  gaps whose changes are verified, ascending
Remaining remaining(const Posterior& posterior, const Line& line, const std::vector<int>& known);

/// The same where no single change is likely, and yet the ends differ by more than is known: the
/// stretch over which the levels rise most.
Remaining unexplained(
    const FittedLevels& levels, double rest_ratio, const Line& line, const std::vector<int>& known);

/// Whether looking for more than the culprit has cost what it may. Where the ends surely differ by
/// more than what is verified, it goes on as long as the search may.
/// @param culprit     verified, with what is explained
/// @param rest_error  standard error of the log of the rest
bool is_enough_spent(
    const Problem& problem,
    const Facts& facts,
    const Line& line,
    const SeriesEvidence& evidence,
    const SeriesEnding& culprit,
    double rest_error);

/// Whether the ends may differ by more than what is verified: too little to build for, enough to
/// measure again what is built.
/// @param error  standard error of the log of the rest
bool may_be_a_rest(const Explained& explained, double error, const SeriesEvidence& evidence);

}  // namespace vigil::search
