#include "service/cli/ask/reply.hpp"

#include <nlohmann/json.hpp>

namespace vigil::cli {

namespace {

using nlohmann::json;

/// Null where there is none.
const json& member_of(const json& object, const char* key) {
    static const json none;
    if (!object.is_object()) return none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
}

}  // namespace

std::string text_at(const json& object, const char* key) {
    const json& value = member_of(object, key);
    return value.is_string() ? value.get<std::string>() : "";
}

std::int64_t number_at(const json& object, const char* key) {
    const json& value = member_of(object, key);
    return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

double real_at(const json& object, const char* key) {
    const json& value = member_of(object, key);
    return value.is_number() ? value.get<double>() : 0;
}

bool flag_at(const json& object, const char* key) {
    const json& value = member_of(object, key);
    return value.is_boolean() && value.get<bool>();
}

bool is_set(const json& object, const char* key) {
    return !member_of(object, key).is_null();
}

std::string words_at(const json& object, const char* key) {
    const json& value = member_of(object, key);
    return value.is_number_integer() ? std::to_string(value.get<std::int64_t>())
                                     : text_at(object, key);
}

const json& object_at(const json& object, const char* key) {
    static const json none = json::object();
    const json& value = member_of(object, key);
    return value.is_object() ? value : none;
}

const json& array_at(const json& object, const char* key) {
    static const json none = json::array();
    const json& value = member_of(object, key);
    return value.is_array() ? value : none;
}

}  // namespace vigil::cli
