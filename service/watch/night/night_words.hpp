#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/store/nights/withdrawals.hpp"
#include "service/store/work/night_jobs.hpp"
#include "service/watch/night/judge.hpp"

// What a night says of itself when it comes to another state. Pure.

namespace vigil::service {

/// What is known of a night without a value.
struct Unmeasured {
    std::optional<std::string> build = {};   ///< what its failed build says
    std::optional<std::string> canary = {};  ///< a worker whose canary moved
    std::optional<std::string> value = {};   ///< why a value cannot be judged
    std::optional<std::string> job = {};     ///< what one of its jobs says
};
/// Why it has none: the build is the first to ask.
std::string why_unmeasured(const Unmeasured& known);

/// Of the whole night; nullopt: it stands, if not all of it.
std::optional<std::string> why_withdrawn(const std::vector<Withdrawal>& standing);

/// "withdrawn by ada: wrong driver", "what worker xeon-3 measured is withdrawn by ada: hot".
std::string words_of(const Withdrawal& withdrawal);

std::string judged_words(const NightCounts& counts);

/// What was made of a night whose suspicions have ended.
struct ConfirmedCounts {
    int opened = 0;     ///< regressions
    int recovered = 0;  ///< regressions
    int drifts = 0;
};
std::string confirmed_words(const ConfirmedCounts& counts);

/// "3 jobs were parked: ..."; empty when all were done.
std::string undone_words(const std::vector<UndoneJobs>& undone);

/// What was not done is said, however well the rest went.
/// @param compared_series  see NightlyRow
std::string done_words(std::optional<int> compared_series, const std::vector<UndoneJobs>& undone);

/// @param beside  why it is no night
std::string beside_words(const std::string& beside, const std::vector<UndoneJobs>& undone);

/// Of a night that a backfill measured.
std::string past_words(BackfillId backfill, const std::vector<UndoneJobs>& undone);

}  // namespace vigil::service
