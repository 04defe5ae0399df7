#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/store/series/suspicions.hpp"

// Which cases of a program are measured again alone, and for which the whole program is run.

namespace vigil::service {

/// Where more cases of one program are in question at once, one run of it measures all.
inline constexpr std::size_t most_cases_alone = 10;

/// Whether the program can be asked for this case alone: its config says how, and it has not failed
/// to print it.
bool can_run_alone(Database& db, const ProjectConfig& config, const SeriesRow& series);

/// Suspicions of a night whose cases are measured alone, with the case. Of what no longer runs the
/// whole program is run.
/// @param open  no session measures them yet
std::map<SuspicionId, std::string> choose_cases_alone(
    Database& db, const ProjectConfig& config, const std::vector<OpenSuspicion>& open);

/// Of the series of a search those whose cases are measured alone, as the sessions that confirmed
/// them did. Without sessions, where there are few.
/// @param sessions  may be empty
/// @return  for each series its case; empty: the whole program is run
std::vector<std::string> choose_cases_alone(
    Database& db,
    const ProjectConfig& config,
    const std::vector<SeriesRow>& series,
    const std::vector<SessionId>& sessions);

}  // namespace vigil::service
