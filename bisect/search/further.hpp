#pragma once

#include <optional>
#include <vector>

#include "bisect/search/levels.hpp"
#include "bisect/search/posterior.hpp"
#include "bisect/search/search.hpp"

// Changes of one series beside the largest.

namespace vigil::search {

/// Where no single change is likely, and yet the ends differ by more than is known: the stretch
/// over which the levels rise most.
/// @param known  gaps whose changes are verified, ascending
Remaining unexplained(
    const FittedLevels& levels, double rest_ratio, const Line& line, const std::vector<int>& known);

/// What surely is left of the change between the ends, and the stretch that most likely holds it;
/// none where the interval of the rest holds 0.
/// @param likely  whether some gap holds a further change
std::optional<Remaining> what_remains(
    const Posterior& posterior,
    const FittedLevels& levels,
    const Explained& explained,
    const Line& line,
    const std::vector<int>& known,
    bool likely);

/// Whether looking for more than the culprit has cost what it may. Where a rest surely is there,
/// each further change that is verified allows for as much again.
/// @param culprit  verified, with what is explained
/// @param further  the other verified changes
bool is_enough_spent(
    const Problem& problem,
    const Facts& facts,
    const Line& line,
    const SeriesEnding& culprit,
    const std::vector<SeriesEnding>& further);

/// The same where a second machine denies what another one verified: since it was asked.
bool is_enough_spent(const Problem& problem, const Facts& facts, int series);

/// Whether the ends may differ by more than what is verified: too little to build for, enough to
/// measure again what is built.
/// @param error  standard error of the log of the rest
bool may_be_a_rest(const Explained& explained, double error, const SeriesEvidence& evidence);

}  // namespace vigil::search
