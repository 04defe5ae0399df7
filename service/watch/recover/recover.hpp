#pragma once

#include <cstdint>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/regressions.hpp"

namespace vigil::service {

/// What is as good as that build is as good as any that was no better: of a series' open changes,
/// those that began from such a level have ended. Pure.
/// @param good       the nightly that the series was held against
/// @param threshold  of the series, change ratio
std::vector<RegressionId> ended_by(
    const std::vector<OpenChange>& open, NightlyId good, double threshold);

/// Tonight some series look as before a regression that is open, and are measured: the commits that
/// may have fixed it are asked for, so that they are known when the answer comes.
void expect_recovered(Database& db, const ProjectConfig& config, NightlyId nightly);

/// Marks the series of open regressions that came back: tonight's session found the build as good
/// as one from before the regression (`fixed`), or what no longer ran did run. A regression all of
/// whose series came back is recovered, then closed; of one that came back in part an event tells.
/// Either says what fixed it.
/// @return  how many regressions recovered tonight
int close_recovered(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    NightlyId nightly,
    std::int64_t now_s);

}  // namespace vigil::service
