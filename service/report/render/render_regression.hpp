#pragma once

#include <cstddef>

#include "service/report/facts/regression_facts.hpp"
#include "service/store/reports/reports.hpp"

namespace vigil::service {

/// GitHub holds this many characters in an issue; we count bytes, which are never fewer.
constexpr std::size_t max_body_bytes = 60'000;
constexpr std::size_t max_title_length = 120;  ///< characters

/// The report on one regression, verdict first. A pure function: equal facts give equal bytes.
/// A culprit is named only when `facts.culprit` is set. The body holds at most `max_body_bytes`;
/// what is left out is said where it is left out.
Document render_regression(const RegressionFacts& facts);

}  // namespace vigil::service
