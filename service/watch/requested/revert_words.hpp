#pragma once

#include <optional>
#include <string>

#include "service/store/findings/revert_checks.hpp"

// What taking a culprit back would do, in words. Pure.

namespace vigil::service {

/// What came of measuring the newest revision against its revert; nullopt: nothing came back, so
/// the culprit's parent is to be measured too.
std::optional<RevertOutcome> outcome_of_revert(const Comparison& size, const Comparison& reverted);

/// What came of measuring the culprit's parent against the newest revision, where a revert changes
/// nothing, or brings nothing back.
/// @param has_revert  there is a revert, and it brought nothing back
RevertOutcome outcome_of_still(const Comparison& size, const Comparison& still, bool has_revert);

/// One sentence without a full stop: "A revert on today's head (1a2b3c4d5e) brings back 11.8 of
/// 12.4 %". Names of files in it are a stranger's text.
std::string revert_words(const RevertCheck& check);

}  // namespace vigil::service
