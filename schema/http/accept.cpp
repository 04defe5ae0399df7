#include "schema/http/accept.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "schema/text/characters.hpp"

namespace vigil::http {

namespace {

constexpr int whole = 1000;

/// "0.5" in thousandths.
int weight_in(std::string_view text) {
    double weight = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
    const bool is_sound = error == std::errc() && end == text.data() + text.size();
    return is_sound && weight >= 0 && weight <= 1 ? static_cast<int>(weight * whole) : whole;
}

struct Entry {
    std::string name;
    int weight = whole;
};

Entry parse_entry(std::string_view text) {
    Entry entry{text::lower_case(text::trimmed(text.substr(0, text.find(';'))))};
    while (text.find(';') != text.npos) {
        text.remove_prefix(text.find(';') + 1);
        const auto parameter = text::trimmed(text.substr(0, text.find(';')));
        if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
        entry.weight = weight_in(parameter.substr(2));
    }
    return entry;
}

int names(std::string_view entry, std::string_view name) {
    if (entry == name) return 3;
    if (entry == "*" || entry == "*/*") return 1;
    const bool is_group = entry.ends_with("/*");
    return is_group && name.starts_with(entry.substr(0, entry.size() - 1)) ? 2 : 0;
}

}  // namespace

Preference preference_of(std::string_view list, std::string_view name) {
    Preference best;
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        const auto entry = parse_entry(list.substr(0, end));
        const int how = names(entry.name, name);
        if (how > best.names) best = {entry.weight, how};
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return best;
}

bool accepts(std::string_view list, const std::vector<std::string_view>& names) {
    return std::ranges::any_of(
        names, [&](std::string_view name) { return preference_of(list, name).weight > 0; });
}

}  // namespace vigil::http
