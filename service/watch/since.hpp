#pragma once

#include <optional>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/watch/values.hpp"

namespace vigil::service {

/// What the history of a series says about its newest night.
struct HistoryWord {
    double score = 0;  ///< suspicion in nats (docs/detection.md)
    /// The likeliest first night of what is suspected and its plausible range; nothing: not known.
    std::optional<NightlyId> since, earliest, latest;
};

/// Follows the last nights of the series up to `nightly` with LevelWatch; the levels that verdicts
/// set begin anew there.
HistoryWord ask_history(Database& db, const SeriesRow& series, NightlyId nightly);

}  // namespace vigil::service
