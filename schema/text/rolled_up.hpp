#pragma once

#include <cstdint>
#include <string>

namespace vigil::text {

/// "3 runs, rolled up on 2026-11-29": of runs whose samples are no longer kept.
/// @param at_s  when they were, UTC
std::string rolled_up(std::int64_t runs, std::int64_t at_s);

}  // namespace vigil::text
