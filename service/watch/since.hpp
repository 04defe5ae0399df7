#pragma once

#include <optional>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/watch/series_state.hpp"

namespace vigil::service {

/// What the history of a series says about its newest night.
struct HistoryWord {
    double score = 0;  ///< suspicion in nats (docs/detection.md)
    /// The likeliest first night of what is suspected and its plausible range; nothing: not known.
    std::optional<NightlyId> since, earliest, latest;
};

/// Names the nights that tonight's finding speaks of.
HistoryWord ask_history(
    Database& db, const SeriesRow& series, NightlyId nightly, const FollowedNight& followed);

}  // namespace vigil::service
