#pragma once

#include <nlohmann/json_fwd.hpp>

namespace vigil::service {

/// What differs between two environments: [{"fact", "before", "after"}], null where one has none.
/// @param before  facts, an object of texts, or null
nlohmann::json changed_facts(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace vigil::service
