#pragma once

#include <cstdint>

#include "service/report/facts/regression_facts.hpp"

namespace vigil::service {

constexpr std::int64_t opens_again_s = 14 * 86'400;  ///< an issue that was closed, by a recurrence

/// Whether a regression is an earlier one again, of the same series, and not another cause: no
/// culprit is known, or it is the same, or it says that it brings the earlier culprit back. A pure
/// function.
bool is_recurrence(const RegressionFacts& facts, const EarlierFact& earlier);

}  // namespace vigil::service
