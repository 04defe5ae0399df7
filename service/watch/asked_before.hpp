#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bisect/detect/session.hpp"
#include "bisect/detect/trigger.hpp"
#include "service/config/config.hpp"
#include "service/watch/values.hpp"

// What sessions have already told about a series (docs/confirmation.md, "Asked before").

namespace vigil::service {

/// What is known of a series before its session of a night: direction, threshold and, where runs
/// do not measure in turns, the noise of its runs.
detect::SessionRules known_rules(
    Database& db, const ProjectConfig& config, const SeriesRow& series, NightlyId nightly);

/// What the nights right before told together, where they ended with `watch` against the same good
/// night; nothing when they have had their nights.
/// @param rules  of the session that goes on
std::optional<detect::Evidence> pool_watched(
    Database& db, SeriesId series, NightlyId nightly, NightlyId good, detect::SessionRules rules);

/// The series' newest session of its level before tonight, when it filed nothing.
/// @param nights  of the level, oldest first, without tonight; LastSession::night counts in them
std::optional<detect::LastSession> find_last_session(
    Database& db,
    const ProjectConfig& config,
    const SeriesRow& series,
    NightlyId tonight,
    const std::vector<NightValues>& nights);

/// What a session of the last eight measured nights told and is not to be asked anew: it pools with
/// tonight's where both agree.
std::optional<detect::Evidence> find_told(
    Database& db, const ProjectConfig& config, const SeriesRow& series, NightlyId tonight);

/// How much of tonight is no news, log; nothing where last night was asked, whatever came of it.
std::optional<double> find_explained(
    Database& db,
    const ProjectConfig& config,
    const SeriesRow& series,
    NightlyId tonight,
    const std::vector<NightValues>& nights);

}  // namespace vigil::service
