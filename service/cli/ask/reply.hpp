#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

// Members of a reply, forgiving: what is missing or null is empty or zero.

namespace vigil::cli {

std::string text_at(const nlohmann::json& object, const char* key);
std::int64_t number_at(const nlohmann::json& object, const char* key);
double real_at(const nlohmann::json& object, const char* key);
bool flag_at(const nlohmann::json& object, const char* key);
bool is_set(const nlohmann::json& object, const char* key);
/// A text, or a whole number as one; empty where it has neither.
std::string words_at(const nlohmann::json& object, const char* key);
/// The object at `key`; an empty one when it is missing.
const nlohmann::json& object_at(const nlohmann::json& object, const char* key);
/// The array at `key`; an empty one when it is missing.
const nlohmann::json& array_at(const nlohmann::json& object, const char* key);

}  // namespace vigil::cli
