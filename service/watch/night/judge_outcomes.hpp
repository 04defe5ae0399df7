#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Opens a suspicion of kind `outcome` for every variant that ran the night before and of which no
/// run passed tonight (crash, out of memory, time-out, wrong answer). One judged series stands for
/// the variant.
/// @return  how many were opened
int judge_outcomes(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s);

}  // namespace vigil::service
