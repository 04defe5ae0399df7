#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bisect/detect/worth.hpp"
#include "service/api/common/context.hpp"
#include "service/report/facts/night_facts.hpp"
#include "service/report/facts/night_headline.hpp"
#include "service/store/nights/night_commits.hpp"
#include "service/tables/night.hpp"

// What is told of one night: REST writes it as JSON, its pages render it.

namespace vigil::service {

struct NightSummary {
    NightFacts facts;
    std::map<std::string, std::int64_t> jobs;      ///< by state
    std::map<std::string, std::int64_t> outcomes;  ///< runs by outcome
    std::map<std::string, std::int64_t> verdicts;  ///< suspicions by verdict, else by state
    NightHeadline headline;
    std::optional<detect::RunBudget> again;  ///< nothing: the project is watched no more
    std::vector<tables::NightRatio> ratios;  ///< of the ways that it held against another backend
    std::string report;                      ///< the newest text of it; empty: there is none
};
/// @throws Error{not_found}
NightSummary load_night_summary(Database& db, const HandlerContext& context, NightlyId id);

/// The commits between a night and the one before it: `none` says why there are none to tell, also
/// where nobody will list them.
struct NightCommitRange : KnownCommits {
    NightlyId nightly;
    Links links;
    std::vector<NightCommit> commits;  ///< the newest of them, oldest first
    std::string url;                   ///< where all can be looked at; empty: nowhere, or none

    bool is_listed() const { return state == "listed"; }
    std::int64_t left_out() const { return count - std::ssize(commits); }
};
/// @throws Error{not_found}
NightCommitRange load_night_range(Database& db, const HandlerContext& context, NightlyId id);

}  // namespace vigil::service
