#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "service/store/series/suspicions.hpp"

namespace vigil::service {

/// Ends what a night suspects of a project that is measured elsewhere: nothing can be measured
/// again, so that it is `unconfirmed`. Where a series was asked whether it is back at its level
/// before a regression, its night is all there is to tell, and it counts as `fixed`.
void end_unconfirmed(Database& db, NightlyId nightly, std::int64_t now_s);

/// The same for one that nobody answered.
/// @param why  in words, for a person
void end_unconfirmed(
    Database& db, const OpenSuspicion& suspicion, const std::string& why, std::int64_t now_s);

}  // namespace vigil::service
