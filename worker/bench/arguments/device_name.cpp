#include "worker/bench/arguments/device_name.hpp"

#include <sstream>

namespace vigil_bench {

std::optional<DeviceName> parse_device(const std::string& text) {
    constexpr std::size_t most_digits = 2;
    const auto colon = text.find(':');
    DeviceName device{text.substr(0, colon), 0};
    const std::string kinds = "abcdefghijklmnopqrstuvwxyz";
    if (device.kind.empty() || device.kind.find_first_not_of(kinds) != std::string::npos) {
        return std::nullopt;
    }
    if (colon == std::string::npos) return device;
    const std::string index = text.substr(colon + 1);
    const bool is_number = !index.empty() && index.size() <= most_digits &&
                           index.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) return std::nullopt;
    device.index = std::stoi(index);
    return device;
}

std::string visible_device(const std::string& visible, int rank) {
    if (visible.empty()) return std::to_string(rank);
    std::istringstream entries(visible);
    std::string entry;
    for (int i = 0; std::getline(entries, entry, ',');) {
        if (i++ == rank) return entry;
    }
    return "";
}

}  // namespace vigil_bench
