#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/config/config.hpp"
#include "service/store/database.hpp"

// What is wrong and no event tells: each is a trouble from the first look that sees it until one
// that does not.

namespace vigil::service {

/// How long after a start, or after somebody set the clock, each worker that is here has been heard
/// of: the longest poll and a margin, s. Before that look_out() takes them for gone.
std::int64_t hearing_s(const JobConfig& jobs);

/// Looks for machine classes whose jobs no worker can serve ("class.no_workers") and for nights
/// that did not come by their deadline ("night.late"). Ends the troubles of projects, targets and
/// workers that left the config.
void look_out(Database& db, const Config& config, std::int64_t now_s);

/// A project's source was asked for its newest nightly ("source.failed").
/// @param why  it gave none; nullopt: it gave one
void note_source(
    Database& db,
    ProjectId project,
    const std::string& name,
    const std::optional<std::string>& why,
    std::int64_t now_s);

/// A project's repository was asked for trees or commits ("repository.unreachable").
/// @param why  it cannot be reached now; nullopt: it was
void note_repository(
    Database& db,
    ProjectId project,
    const std::string& name,
    const std::optional<std::string>& why,
    std::int64_t now_s);

/// A nightly's build was made, or failed ("nightly.unbuildable"); nothing when neither is known.
void note_build(Database& db, NightlyId nightly, std::int64_t now_s);

/// How many jobs of a nightly ended without being done, and why: "3 jobs were parked: ..."; empty
/// when all were done.
std::string undone_words(Database& db, NightlyId nightly);

}  // namespace vigil::service
