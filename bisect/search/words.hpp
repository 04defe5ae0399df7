#pragma once

#include <span>
#include <string>

#include "bisect/search/assess.hpp"
#include "bisect/search/availability.hpp"

// What a search says to people. Commits have their names of `Problem::names`.

namespace vigil::search {

/// A ratio of what is sought as people are told it: less is told as less.
double reported_ratio(const SeriesSpec& spec, double sought_ratio);
Comparison told_comparison(const SeriesSpec& spec, Comparison sought);

/// Every ratio of a decision as people are told it.
void tell_ratios(const Problem& problem, Decision& decision);

/// Why there is nothing to search: the ends do not differ, or they do the other way round.
/// @param net, least  log, up is what is sought
/// @param small       P(no change above half the threshold)
std::string unmoved_words(const SeriesSpec& spec, double net, double least, double small);

/// "commit 3", "commits 3 to 7".
std::string stretch_words(const Problem& problem, int first, int last);

/// "most likely commit 3, with probability 0.81; "; empty where none is likelier than not.
/// @param posterior  [suspects] P(change at commit i + 1)
std::string likeliest_words(const Problem& problem, std::span<const double> posterior);

/// That looking for what is left cost what it may; empty where nothing surely is left.
std::string bound_words(const Problem& problem, const SeriesEnding& culprit);

/// Why the commits from `first` up to, and without, `last` were not measured by themselves, each by
/// its name: "commits 3, 5 to 7 cannot be built or run; commit 4 was not tried".
std::string obstacles_before(
    const Problem& problem, const Availability& availability, int first, int last);

/// Why a verified change is no single commit's.
/// @param from, to  what was measured against each other
std::string inseparable_words(
    const Problem& problem,
    const Availability& availability,
    const SeriesEnding& range,
    int from,
    int to);

/// "+12.00 % [+10.00, +14.00]", or from what to what where it comes from 0.
std::string verified_words(const Comparison& verified);

/// Where a series stands: what is verified, and what is done next.
std::string standing_words(const Problem& problem, const Assessment& series);

/// Why a commit is measured, and why again where it was before.
/// @param runs, bits  that are worth their cost, and what they tell; a part is asked for first
std::string why_words(
    const Problem& problem,
    const Line& line,
    const Assessment& series,
    int commit,
    int runs,
    double bits);

}  // namespace vigil::search
