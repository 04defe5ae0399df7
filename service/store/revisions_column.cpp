#include "service/store/revisions_column.hpp"

#include <nlohmann/json.hpp>

#include "service/store/read_column.hpp"

namespace vigil::service {

std::string TextColumn<std::vector<Revision>>::text(const std::vector<Revision>& revisions) {
    auto all = nlohmann::json::array();
    for (const auto& revision : revisions) all.push_back(revision.str());
    return all.dump();
}

std::vector<Revision> TextColumn<std::vector<Revision>>::parse(std::string_view text) {
    if (text == "[]") return {};
    return read_column(text, "a list of revisions", [](const nlohmann::json& value) {
        std::vector<Revision> revisions;
        for (const auto& one : value) revisions.emplace_back(one.get<std::string>());
        return revisions;
    });
}

}  // namespace vigil::service
