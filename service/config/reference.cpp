#include "service/config/reference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "service/config/keys.hpp"

namespace vigil::service {

extern const std::string_view key_notes;  // generated from key_notes.txt: "KEY: NOTE", a line each

std::string_view note_of_key(std::string_view path) {
    for (std::size_t at = 0; at < key_notes.size();) {
        const auto end = std::min(key_notes.find('\n', at), key_notes.size());
        auto line = key_notes.substr(at, end - at);
        at = end + 1;
        if (line.starts_with(path) && line.substr(path.size()).starts_with(": ")) {
            return line.substr(path.size() + 2);
        }
    }
    return {};
}

std::string config_reference(std::string_view prefix) {
    std::string out;
    for (const auto& key : list_keys()) {
        if (!key.path.starts_with(prefix)) continue;
        const bool value = key.default_value != "required" && key.default_value != "none";
        out += fmt::format(
            "{}\n    {}{}; {}\n    {}\n",
            key.path,
            value ? "default " : "",
            key.default_value == "none" ? "no default" : key.default_value,
            key.range,
            note_of_key(key.path));
    }
    return out;
}

}  // namespace vigil::service
