#include "service/pages/measured/suite_filters.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/metric_words.hpp"

namespace vigil::service {

using nlohmann::json;

json metric_field(const GivenFilters& given, const std::string& otherwise) {
    const auto found = given.find("metric");
    auto options = json::array();
    for (const auto& [metric, name] : enum_names<Metric>) {
        options.push_back(
            {{"choice", name},
             {"words", metric_words(metric)},
             {"chosen", found != given.end() && found->second == name}});
    }
    return {
        {"name", "metric"},
        {"label", "Metric"},
        {"one_of", {{"option", options}, {"otherwise", otherwise}}}};
}

json suite_choices(const Config& config, const GivenFilters& given, const std::string& metric) {
    const auto& all = config.projects;
    const auto project = all.empty() ? "none yet" : all.begin()->first + " (default)";
    return {
        choice_field("project", "Project", names_in(all), given, project),
        choice_field("machine_class", "Machine class", names_in(config.machine_classes), given),
        metric_field(given, metric)};
}

json suite_tabs(const std::string& here, const std::string& project) {
    static constexpr std::array<std::pair<const char*, const char*>, 5> pages{
        {{"/trends", "Trends"},
         {"/heatmap", "Heat map"},
         {"/compare", "Compare"},
         {"/requests", "Requests"},
         {"/series", "List"}}};
    auto links = json::array();
    const auto query = project.empty() ? std::string() : http::query_string({{"project", project}});
    for (const auto& [path, words] : pages) {
        links.push_back({{"href", path + query}, {"words", words}, {"here", here == path}});
    }
    return {{"template", "suite_tabs.html"}, {"links", links}};
}

ChangeMood change_mood(std::optional<double> change_ratio, double than) {
    const double ratio = change_ratio.value_or(0);
    if (ratio > than) return {"bad", "\u25B2"};
    if (ratio < -than / (1 + than)) return {"good", "\u25BC"};
    return {"", ""};
}

}  // namespace vigil::service
