#include "schema/model/launch.hpp"

#include <algorithm>
#include <bitset>
#include <charconv>

namespace vigil {

namespace {

constexpr std::size_t max_list_bytes = 4096;
constexpr std::size_t max_affinity_bytes = 500;

std::optional<int> core_of(std::string_view text) {
    int core = -1;
    const auto* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, core);
    if (error != std::errc() || stopped != end || core < 0 || core > max_core) return std::nullopt;
    return core;
}

}  // namespace

std::optional<std::vector<int>> parse_cores(std::string_view list) {
    if (list.empty() || list.size() > max_list_bytes) return std::nullopt;
    std::bitset<max_core + 1> named;
    for (std::size_t at = 0; at <= list.size();) {
        const auto comma = std::min(list.find(',', at), list.size());
        const auto part = list.substr(at, comma - at);
        const auto dash = part.find('-');
        const auto first = core_of(part.substr(0, dash));
        const auto last = dash == part.npos ? first : core_of(part.substr(dash + 1));
        if (!first || !last || *last < *first) return std::nullopt;
        for (int core = *first; core <= *last; ++core) named.set(static_cast<std::size_t>(core));
        at = comma + 1;
    }
    std::vector<int> cores;
    for (int core = 0; core <= max_core; ++core) {
        if (named.test(static_cast<std::size_t>(core))) cores.push_back(core);
    }
    return cores;
}

std::string cores_text(const std::vector<int>& cores) {
    std::string text;
    for (std::size_t first = 0, last = 0; first < cores.size(); first = last + 1) {
        last = first;
        while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
        text += (text.empty() ? "" : ",") + std::to_string(cores[first]);
        if (last > first) text += "-" + std::to_string(cores[last]);
    }
    return text;
}

std::string cores_problem(std::string_view list) {
    if (list.empty() || parse_cores(list)) return "";
    return "must be a list of core numbers up to " + std::to_string(max_core) + ", such as 0-3,8";
}

std::string affinity_problem(std::string_view affinity) {
    const auto* allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=,:[]{}-";
    if (affinity.size() <= max_affinity_bytes &&
        affinity.find_first_not_of(allowed) == affinity.npos) {
        return "";
    }
    return "must be a value of KMP_AFFINITY, such as granularity=fine,compact,1,0";
}

}  // namespace vigil
