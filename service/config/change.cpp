#include "service/config/change.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

// The lock and the ledger are held, the socket is bound, the ballast lies there with its size.
constexpr std::array<std::string_view, 4> fixed_keys{
    "state_dir", "http.address", "http.port", "ledger.ballast_bytes"};

bool is_fixed(std::string_view key) {
    return std::find(fixed_keys.begin(), fixed_keys.end(), key) != fixed_keys.end();
}

std::string text_of(const json* value) {
    return value == nullptr ? "" : wire::write_json(*value);
}

const json* find(const json& object, const std::string& name) {
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

void compare(
    const std::string& key, const json* before, const json* after, std::vector<ConfigChange>& out) {
    if (before == nullptr || after == nullptr || !before->is_object() || !after->is_object()) {
        if (before != nullptr && after != nullptr && *before == *after) return;
        out.push_back({key, text_of(before), text_of(after), is_fixed(key)});
        return;
    }
    const std::string prefix = key.empty() ? "" : key + ".";
    for (const auto& [name, value] : before->items()) {
        compare(prefix + name, &value, find(*after, name), out);
    }
    for (const auto& [name, value] : after->items()) {
        if (!before->contains(name)) compare(prefix + name, nullptr, &value, out);
    }
}

}  // namespace

std::vector<ConfigChange> list_changes(const Config& before, const Config& after) {
    const auto old_values = wire::parse_json(effective_config(before), "the config in force");
    const auto new_values = wire::parse_json(effective_config(after), "the changed config");
    std::vector<ConfigChange> changes;
    compare("", &old_values, &new_values, changes);
    return changes;
}

Config change_while_running(const Config& before, Config after) {
    after.state_dir = before.state_dir;
    after.http.address = before.http.address;
    after.http.port = before.http.port;
    after.ledger.ballast_bytes = before.ledger.ballast_bytes;
    return after;
}

}  // namespace vigil::service
