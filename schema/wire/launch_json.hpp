#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/launch.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil {

/// Only what is not as by default.
void to_json(nlohmann::json& value, const Launch& launch);
void from_json(const nlohmann::json& value, Launch& launch);

}  // namespace vigil

namespace vigil::wire {

/// @throws Error{invalid_argument} with the path
Launch parse_launch(const Item& item);

/// The folder of the product in which a command runs (key "folder"); nothing: the product itself.
/// @throws Error{invalid_argument} with the path
std::optional<std::string> parse_folder(ObjectReader& in);

}  // namespace vigil::wire
