#pragma once

#include <nlohmann/json_fwd.hpp>

#include "schema/model/recipe.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil {

/// What is rare is written where it is so: an older worker knows no such key.
void to_json(nlohmann::json& value, const SampleRule& rule);
void from_json(const nlohmann::json& value, SampleRule& rule);

}  // namespace vigil

namespace vigil::wire {

/// @throws Error{invalid_argument} with the path
SampleRule parse_sample_rule(const Item& item);

}  // namespace vigil::wire
