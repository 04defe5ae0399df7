#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/nights/nightlies.hpp"

namespace vigil::service {

/// Opens a suspicion of kind `outcome` for every variant that ran the night before and of which no
/// run passed tonight (crash, out of memory, time-out, wrong answer). One judged series stands for
/// the variant.
/// @return  how many were opened
int judge_outcomes(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

}  // namespace vigil::service
