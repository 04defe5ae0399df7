#include "schema/wire/traceparent.hpp"

#include "schema/text/characters.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::wire {

namespace {

constexpr int trace_id_bytes = 16;
constexpr int parent_id_bytes = 8;

bool is_hex_id(std::string_view text) {
    return is_lower_hex(text) && text.find_first_not_of('0') != text.npos;
}

}  // namespace

bool is_traceparent(std::string_view value) {
    if (value.size() != 55 || value[2] != '-' || value[35] != '-' || value[52] != '-') return false;
    const auto version = value.substr(0, 2);
    return is_lower_hex(version) && version != "ff" && is_hex_id(value.substr(3, 32)) &&
           is_hex_id(value.substr(36, 16)) && is_lower_hex(value.substr(53));
}

std::string new_traceparent() {
    return "00-" + random_hex(trace_id_bytes) + "-" + random_hex(parent_id_bytes) + "-00";
}

std::string traceparent_or_new(const std::optional<std::string>& sent) {
    return sent && is_traceparent(*sent) ? "00" + sent->substr(2) : new_traceparent();
}

}  // namespace vigil::wire
