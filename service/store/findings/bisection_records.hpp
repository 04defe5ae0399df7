#pragma once

#include <string>
#include <vector>

#include "bisect/search/search.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/row.hpp"

// What the JSON columns of `bisection` and `probe` hold. Watch writes them; report and api read
// them.

namespace vigil::service {

/// How likely the commits of one night are, those after the night before it, up to a factor.
struct NightPrior {
    Revision revision;  ///< of the nightly
    double weight = 0;  ///< of each of its commits, >= 0
};

/// bisection.settings: the search's problem, frozen when the bisection began.
struct BisectionSettings {
    std::vector<SeriesId> series;           ///< in the order of the search's indices
    std::vector<MachineClassId> groups;     ///< machine classes, in the order of group numbers
    std::vector<search::SeriesSpec> specs;  ///< one for each series
    std::vector<SessionId> sessions;        ///< confirmation's A/B sessions: the first runs
    /// Indices of series that no longer run: a run's value is 1 where it passed, 2 where it did
    /// not.
    std::vector<int> by_outcome;
    std::vector<int> alone = {};  ///< series of cases that run alone, as they were confirmed
    search::Budget budget;
    search::Costs costs;
    int workers = 1;
    std::vector<NightPrior> nights;  ///< oldest first, the bad one last; empty: nothing is known
    std::vector<Revision> named;     ///< culprits of other regressions, maybe of this one too
};

/// bisection.conclusion: how each series ended.
struct BisectionConclusion {
    std::string summary;
    std::vector<search::SeriesEnding> endings;
    std::vector<std::vector<double>> posterior;      ///< [series][suspects]
    std::vector<search::SeriesEnding> further = {};  ///< the other changes that were verified
};

template <>
struct TextColumn<BisectionSettings> : JsonColumn<BisectionSettings> {};
extern template struct JsonColumn<BisectionSettings>;

template <>
struct TextColumn<BisectionConclusion> : JsonColumn<BisectionConclusion> {};
extern template struct JsonColumn<BisectionConclusion>;

/// `probe.plan`
template <>
struct TextColumn<search::ProbeRequest> : JsonColumn<search::ProbeRequest> {};
extern template struct JsonColumn<search::ProbeRequest>;

}  // namespace vigil::service
