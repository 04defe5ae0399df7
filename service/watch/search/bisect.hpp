#pragma once

#include <cstdint>

#include "bisect/history/history.hpp"
#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Stores the suspects and what they follow, and lets the search begin. Where no revision of the
/// project can be built, or the branch of its archives was written anew in between, the search ends
/// with that.
/// @throws Error{conflict} when the bisection no longer asks for them
void record_suspects(
    Database& db,
    const ProjectConfig& config,
    BisectionId bisection,
    const history::Range& range,
    std::int64_t now_s);

/// Moves a bisection one step on: closes probes whose jobs have ended, asks the search what to do
/// next, and plans its probes, or ends the bisection. Its state is what the ledger holds, so a
/// restart in between changes nothing.
void advance_bisection(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    BisectionId bisection,
    std::int64_t now_s);

}  // namespace vigil::service
