#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Tries of a nightly's step that have not worked yet (table step_try).

namespace vigil::service {

struct StepTries {
    int count = 0;
    std::string message;  ///< what the newest one threw; empty: it was cut off, or there is none
};
StepTries load_tries(Database& db, NightlyId nightly);

/// A try begins: one more, whose message is not known yet.
void add_try(Database& db, NightlyId nightly, std::int64_t now_s);

/// The newest try threw this.
void note_try_failed(Database& db, NightlyId nightly, const std::string& message);

/// All of them are forgotten.
void end_tries(Database& db, NightlyId nightly);

}  // namespace vigil::service
