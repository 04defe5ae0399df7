#include "schema/model/scopes.hpp"

#include <algorithm>

namespace vigil {

std::string to_string(Scopes scopes) {
    std::string words;
    for (const auto& [scope, name] : enum_names<Scope>) {
        if (scopes.has(scope)) words += (words.empty() ? "" : ",") + std::string(name);
    }
    return words;
}

Scopes parse_scopes(std::string_view words) {
    Scopes scopes;
    for (std::size_t at = 0; at <= words.size();) {
        const auto end = std::min(words.find(',', at), words.size());
        scopes.add(parse_enum<Scope>(words.substr(at, end - at)));
        at = end + 1;
    }
    return scopes;
}

}  // namespace vigil
