#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bisect/history/revert.hpp"
#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/reported.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/findings/revert_checks.hpp"

// Whether taking a verified culprit back would help: the newest revision is measured against its
// revert by a request of the daemon's own, behind nights, searches and confirmations. Where nothing
// comes back, the culprit's parent is measured against the newest revision too. docs/bisection.md.

namespace vigil::service {

/// The series that is measured, or why none is.
struct RevertChoice {
    const ReportedSeries* series = nullptr;
    Comparison size;       ///< of its change, by all runs that measured it
    std::string why_none;  ///< one sentence
};

/// The one that got worse the most, of those whose change is one of values. Pure.
/// @param measured  what the project measures today
RevertChoice choose_reverted(
    const std::vector<ReportedSeries>& all, const std::vector<RequestedVariant>& measured);

/// Asks whether a revert would help, by hand.
/// @throws Error{conflict} where it makes no sense, with the reason
void ask_revert_by_hand(
    Database& db, const Config& config, RegressionId regression, std::int64_t now_s);

/// The git lane has tried it: it is measured, or said why not. Nothing where nobody asks any more.
/// @param why  it cannot be tried; empty: it was
void record_revert(
    Database& db,
    const ApplyingRevert& asked,
    const history::RevertTry& tried,
    const std::string& why,
    std::int64_t now_s);

/// Moves each open question on. A regression that has its answer is told anew.
void advance_reverts(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
