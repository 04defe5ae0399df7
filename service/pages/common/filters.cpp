#include "service/pages/common/filters.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "service/pages/common/page.hpp"

namespace vigil::service {

namespace {

std::string given_value(const GivenFilters& given, const std::string& name) {
    const auto found = given.find(name);
    return found == given.end() ? "" : found->second;
}

}  // namespace

nlohmann::json choice_field(
    const std::string& name,
    const std::string& label,
    const std::vector<std::string>& choices,
    const GivenFilters& given,
    const std::string& otherwise) {
    const auto value = given_value(given, name);
    auto options = nlohmann::json::array();
    for (const auto& choice : choices) {
        options.push_back({{"choice", choice}, {"words", choice}, {"chosen", choice == value}});
    }
    if (!value.empty() && std::ranges::find(choices, value) == choices.end()) {
        options.push_back({{"choice", value}, {"words", value}, {"chosen", true}});
    }
    return {
        {"name", name},
        {"label", label},
        {"one_of", {{"option", options}, {"otherwise", otherwise}}}};
}

nlohmann::json text_field(
    const std::string& name, const std::string& label, const GivenFilters& given) {
    return {{"name", name}, {"label", label}, {"any", {{"value", given_value(given, name)}}}};
}

nlohmann::json filter_form(nlohmann::json fields) {
    return {{"template", "filters.html"}, {"filters", std::move(fields)}};
}

nlohmann::json next_view(const http::Request& request, const std::string& cursor) {
    if (cursor.empty()) return nullptr;
    return {{"href", address_with(request, {{"cursor", cursor}})}};
}

}  // namespace vigil::service
