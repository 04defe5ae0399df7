#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/source/nightly_source.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"

// Archives between a good night and a bad one cost no build: they are measured before commits are.

namespace vigil::service {

/// Whether a source of archives may have nightlies between two nights: they are two days apart or
/// more.
bool may_have_between(const ProjectConfig& config, const NightEdge& good, const NightEdge& bad);

/// Takes the nightlies that the source has between, oldest first; their archives are content.
/// Without any, the commits are searched at once.
void record_nights_between(
    Database& db, BisectionId bisection, std::span<const NightlyOffer> between, std::int64_t now_s);

/// Ends a search of archives: the commits of what it left are searched. Where that is what one
/// revision gave twice, the regression keeps it as its range.
void conclude_nights(
    Database& db,
    const BisectionRow& bisection,
    const BisectionConclusion& conclusion,
    std::int64_t now_s);

}  // namespace vigil::service
