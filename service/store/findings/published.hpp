#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

// The ledger's JSON columns as the HTTP interface publishes them: read into their type, and written
// under the names that schema/http/openapi.yaml describes. How the ledger keeps a type may change;
// what is published does not, and a key that is in the ledger alone stays there.

namespace vigil::service {

/// @param type  of the column: "search_settings" (SearchSettings of the OpenAPI document),
///     "search_conclusion", "probe_plan", "job_plan" or "requested_measurement"
/// @param text  what the column holds
/// @return  the published object; what is not known is null
/// @throws Error{invalid_argument} when the column does not hold that type
nlohmann::json published(std::string_view type, std::string_view text);

}  // namespace vigil::service
