#include "schema/http/accept.hpp"

#include <algorithm>
#include <string>

#include "schema/text/characters.hpp"

namespace vigil::http {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// What an entry names, and whether it has a weight of 0.
struct Entry {
    std::string name;
    bool refuses = false;
};

Entry parse_entry(std::string_view text) {
    Entry entry{text::lower_case(trimmed(text.substr(0, text.find(';')))), false};
    while (text.find(';') != text.npos) {
        text.remove_prefix(text.find(';') + 1);
        const auto parameter = trimmed(text.substr(0, text.find(';')));
        if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
        const auto weight = parameter.substr(2);
        entry.refuses = !weight.empty() && weight.find_first_not_of("0.") == weight.npos;
    }
    return entry;
}

/// How specifically an entry speaks of a name; 0: it does not.
int match(std::string_view entry, std::string_view name) {
    if (entry == name) return 3;
    if (entry == "*" || entry == "*/*") return 1;
    const bool is_group = entry.ends_with("/*");
    return is_group && name.starts_with(entry.substr(0, entry.size() - 1)) ? 2 : 0;
}

}  // namespace

bool accepts(std::string_view list, const std::vector<std::string_view>& names) {
    std::vector<int> best(names.size(), 0);
    std::vector<bool> taken(names.size(), false);
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        const auto entry = parse_entry(list.substr(0, end));
        for (std::size_t i = 0; i < names.size(); ++i) {
            const int how = match(entry.name, names[i]);
            if (how <= best[i]) continue;
            best[i] = how;
            taken[i] = !entry.refuses;
        }
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return std::ranges::find(taken, true) != taken.end();
}

}  // namespace vigil::http
