#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "worker/bench/models/zoo.hpp"
#include "worker/bench/zoo/network.hpp"

namespace vigil_bench {

namespace zoo {

namespace {

std::vector<NetworkEntry>& registered_entries() {
    static std::vector<NetworkEntry> all;
    return all;
}

}  // namespace

Registered::Registered(NetworkEntry entry) {
    registered_entries().push_back(std::move(entry));
}

std::vector<NetworkEntry> entries() {
    auto all = registered_entries();
    std::sort(all.begin(), all.end(), [](const NetworkEntry& a, const NetworkEntry& b) {
        return std::tie(a.domain, a.name) < std::tie(b.domain, b.name);
    });
    return all;
}

}  // namespace zoo

std::vector<ZooModel> zoo_models() {
    std::vector<ZooModel> models;
    for (const auto& entry : zoo::entries()) {
        models.push_back(
            {entry.name,
             entry.domain,
             entry.description,
             entry.parameters,
             entry.infer_batch,
             entry.train_batch});
    }
    return models;
}

bool has_zoo() {
    return true;
}

std::int64_t count_parameters(const std::string& name) {
    for (const auto& entry : zoo::entries()) {
        if (entry.name != name) continue;
        std::int64_t count = 0;
        for (const auto& parameter : entry.make()->parameters()) count += parameter.numel();
        return count;
    }
    throw std::logic_error("counting parameters: there is no model '" + name + "'");
}

}  // namespace vigil_bench
