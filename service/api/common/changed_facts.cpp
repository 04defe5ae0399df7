#include "service/api/common/changed_facts.hpp"

#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace vigil::service {

nlohmann::json changed_facts(const nlohmann::json& before, const nlohmann::json& after) {
    auto changed = nlohmann::json::array();
    std::set<std::string> names;
    for (const auto* side : {&before, &after}) {
        if (!side->is_object()) continue;
        for (const auto& [name, value] : side->items()) names.insert(name);
    }
    const auto fact = [](const nlohmann::json& side, const std::string& name) {
        return side.is_object() && side.contains(name) ? side.at(name) : nlohmann::json();
    };
    for (const auto& name : names) {
        const auto was = fact(before, name);
        const auto is = fact(after, name);
        if (was != is) changed.push_back({{"fact", name}, {"before", was}, {"after", is}});
    }
    return changed;
}

}  // namespace vigil::service
