#pragma once

#include <cstdint>
#include <optional>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/source/nightly_source.hpp"
#include "service/store/database.hpp"

// A nightly comes in and becomes jobs.

namespace vigil::service {

enum class Arrival {
    fresh,  ///< recorded, and its jobs planned
    again,  ///< the same build was recorded before: nothing to measure
    none,   ///< the source has no nightly
};

/// Records what the source answered to one trigger, ends the trigger, and plans the jobs of a
/// nightly not seen before. The same revision with other content is measured; the same content is
/// the same build. What was asked for by name and is not newer than the newest night is measured
/// beside the nights, after their jobs; a build that was measured so and is offered as tonight's is
/// measured again as a night. Whatever it was, an event says so: never silence.
Arrival record_nightly(
    Database& db,
    TriggerId trigger,
    const ProjectConfig& project,
    const std::optional<NightlyOffer>& offer,
    std::int64_t now_s);

}  // namespace vigil::service
