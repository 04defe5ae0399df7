#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

std::string to_text(const BisectionSettings& settings);
std::string to_text(const BisectionConclusion& conclusion);
std::string to_text(const search::ProbeRequest& plan);  ///< probe.plan

/// @throws Error{invalid_argument} when the column does not hold what we wrote
BisectionSettings parse_settings(std::string_view json);
BisectionConclusion parse_conclusion(std::string_view json);  ///< "{}" gives an empty one
search::ProbeRequest parse_probe_plan(std::string_view json);

template <>
struct TextColumn<BisectionSettings> {
    static BisectionSettings parse(std::string_view json) { return parse_settings(json); }
};
template <>
struct TextColumn<BisectionConclusion> {
    static BisectionConclusion parse(std::string_view json) { return parse_conclusion(json); }
};
template <>
struct TextColumn<search::ProbeRequest> {
    static search::ProbeRequest parse(std::string_view json) { return parse_probe_plan(json); }
};

}  // namespace vigil::service
