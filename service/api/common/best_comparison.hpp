#pragma once

#include <nlohmann/json_fwd.hpp>

namespace vigil::service {

/// What is best known of a regression's series, as the API lists it and as its report says it: what
/// the search verified, else what the session measured; null where neither is there.
const nlohmann::json& best_comparison(const nlohmann::json& series);

/// By how much it got worse: the ratio of that, else of the night; may be null.
const nlohmann::json& best_ratio(const nlohmann::json& series);

}  // namespace vigil::service
