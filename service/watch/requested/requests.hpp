#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/source/nightly_source.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/requests.hpp"

// What a person asks to be measured: runs of one build, a comparison of two, the search of a range.
// It is of no night, is measured after all of tonight's, and files nothing.

namespace vigil::service {

/// A comparison that is to be decided takes at most so many blocks of four runs.
inline constexpr int most_requested_blocks = 12;

/// Counts a try of a request's step, in a transaction of its own: the one too many ends it instead.
/// Whoever sees that the step worked ends them (end_tries).
/// @return  whether the step may begin
bool begin_try(Database& db, RequestId request, std::int64_t now_s);

/// Moves one request one step on: begins its sessions once its builds are known, judges what has
/// ended and asks for the next block, searches, ends it. All of it is rows, in the caller's
/// transaction, so a kill in between changes nothing.
void advance_request(Database& db, const Config& config, RequestId request, std::int64_t now_s);

/// The project's source says what a name of the request means.
void record_named(
    Database& db, const MissingName& missing, const NightlyOffer& offer, std::int64_t now_s);

/// It does not: the request fails, if it still waits for that.
void record_unnamed(
    Database& db, const MissingName& missing, const std::string& why, std::int64_t now_s);

/// Ends a request with its jobs, its sessions and its search: `cancelled`, or `failed` where it
/// cannot go on.
/// @throws Error{conflict} when it is over
void end_request(
    Database& db, RequestId request, RequestState to, const std::string& why, std::int64_t now_s);

}  // namespace vigil::service
