#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "service/store/database.hpp"
#include "service/store/nights/nightlies.hpp"

// A night, a part of it or a search whose step cannot be made is set aside with a reason, and
// everything else goes on.

namespace vigil::service {

/// So often a step of a night is tried before the night is set aside.
inline constexpr int max_step_tries = 5;

inline constexpr std::string_view night_quarantined = "nightly.set_aside";

/// The night fails: its open jobs, sessions, suspicions and searches end, with the reason, so that
/// no later night waits for it.
void quarantine_nightly(
    Database& db, NightlyId nightly, const std::string& why, std::int64_t now_s);

/// Runs a part of a night's step whose failure costs less than the night: then an event
/// "nightly.part_failed" says what is missing and why.
void try_part(
    Database& db,
    const NightlyRow& nightly,
    std::string_view what,
    const std::function<void()>& part,
    std::int64_t now_s);

/// A night of the project is done: that earlier ones were set aside is no trouble any more.
void end_earlier_quarantined(Database& db, const NightlyRow& done, std::int64_t now_s);

/// Ends one search whose step threw; its regression keeps the whole range.
void quarantine_bisection(
    Database& db, BisectionId bisection, const std::string& why, std::int64_t now_s);

// Tries of a night's step. They are counted before it begins, in a transaction of their own, so
// that a step that kills the daemon is counted too. Whoever sees that the step worked, or could not
// begin for the machine's sake, forgets them: end_tries().

/// Counts a try that begins. The one too many sets the night aside instead.
/// @return  whether the step may begin
bool begin_try(Database& db, NightlyId nightly, std::int64_t now_s);

/// The step threw `why`: counted if begin_try did not. Sets the night aside after max_step_tries.
void fail_try(
    Database& db, NightlyId nightly, bool was_counted, const std::string& why, std::int64_t now_s);

}  // namespace vigil::service
