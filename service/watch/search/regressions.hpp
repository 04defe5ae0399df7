#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/suspicions.hpp"

namespace vigil::service {

/// What a search of these changes begins with: one group for each machine class, and the sessions
/// of confirmation are its first runs.
/// @param nightly  whose change it is; nullopt: of none, so nothing is known beforehand
/// @param members  not empty, the oldest good night first; {0}: there is none
BisectionSettings search_settings(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    std::optional<NightlyId> nightly,
    const std::vector<ConfirmedChange>& members,
    std::int64_t now_s);

/// What is searched together: series held against one good build or, where single revisions can be
/// built, against those of neighbouring nights. Of regressions the oldest of them is the good end
/// of all: the runs of the others are runs of suspects. Each group begins with its oldest good
/// night.
std::vector<std::vector<ConfirmedChange>> group_by_good(
    Database& db, const ProjectConfig& config, std::vector<ConfirmedChange> confirmed);

/// Makes one regression of the night's confirmed suspicions that share their two builds, and one
/// bisection for it where the project's commits can be built. Says why where they cannot.
/// @return  how many regressions were opened
int open_regressions(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    const NightlyRow& nightly,
    std::int64_t now_s);

/// The same of changes that share their two builds, or of one that a person told and measuring
/// again confirmed.
RegressionId open_regression(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    const NightlyRow& nightly,
    const std::vector<ConfirmedChange>& members,
    std::int64_t now_s);

}  // namespace vigil::service
