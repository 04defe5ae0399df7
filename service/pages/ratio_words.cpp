#include "service/pages/ratio_words.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::array numbers{
    std::pair{"speedup", "speedup"},
    std::pair{"memory_ratio", "memory ratio"},
    std::pair{"compile_s", "compile time"}};

std::string words_of(const json& value, const char* unit) {
    return value.is_number() ? text::rounded(value.get<double>(), 2) + unit : "-";
}

/// The suite's way without the project, which the page names.
std::string short_way(const json& one, const json& summary) {
    const auto way = name_words(one.at("way"));
    const auto project = name_words(summary.at("nightly").at("project")) + " on ";
    return way.starts_with(project) ? way.substr(project.size()) : way;
}

/// Whom any of its numbers leaves out.
std::size_t count_left_out(const json& one) {
    std::set<std::string> models;
    for (const auto& [number, words] : numbers) {
        if (!one.at(number).is_number()) continue;
        for (const auto& model : one.at("left_out").at(number)) {
            models.insert(model.at("model").get<std::string>());
        }
    }
    return models.size();
}

std::vector<const json*> largest_first(const json& ratios) {
    std::vector<const json*> ordered;
    for (const auto& one : ratios) ordered.push_back(&one);
    std::ranges::stable_sort(ordered, std::ranges::greater(), [](const json* one) {
        return one->at("total").get<std::int64_t>();
    });
    return ordered;
}

json way_row(const json& one, const json& summary, bool has_compile) {
    const auto left_out = count_left_out(one);
    json row = {
        {"way", short_way(one, summary)},
        {"passed", fmt::format("{} of {}", one.at("passing").dump(), one.at("total").dump())},
        {"speedup", words_of(one.at("speedup"), "x")},
        {"memory", words_of(one.at("memory_ratio"), "x")},
        {"left_out", left_out},
        {"compile_cell", nullptr}};
    if (has_compile) row["compile_cell"] = {{"compile", words_of(one.at("compile_s"), " s")}};
    return row;
}

json missed_rows(const json& ratios, const json& summary) {
    auto rows = json::array();
    for (const auto* one : largest_first(ratios)) {
        for (const auto& [number, words] : numbers) {
            if (!one->at(number).is_number()) continue;
            std::string models;
            for (const auto& model : one->at("left_out").at(number)) {
                models += fmt::format(
                    "{}{} ({})",
                    models.empty() ? "" : ", ",
                    name_words(model.at("model")),
                    name_words(model.at("why")));
            }
            if (models.empty()) continue;
            rows.push_back(
                {{"way", short_way(*one, summary)}, {"number", words}, {"models", models}});
        }
    }
    return rows;
}

}  // namespace

json ratios_view(const json& summary, std::size_t most) {
    const auto& ratios = summary.at("ratios");
    if (ratios.empty()) return nullptr;
    const bool has_compile = std::ranges::any_of(
        ratios, [](const auto& one) { return one.at("compile_s").is_number(); });
    auto ways = json::array();
    std::size_t left_out = 0;
    for (const auto* one : largest_first(ratios)) {
        if (ways.size() == most) break;
        ways.push_back(way_row(*one, summary, has_compile));
        left_out += count_left_out(*one);
    }
    json view = {
        {"template", "ratios.html"},
        {"project", name_words(summary.at("nightly").at("project"))},
        {"base", name_words(ratios.at(0).at("base"))},
        {"rule", ratios.at(0).at("rule")},
        {"means", has_compile ? "memory ratios and compile times" : "memory ratios"},
        {"nightly", summary.at("nightly").at("id")},
        {"ways", std::move(ways)},
        {"compile_head", has_compile},
        {"some", nullptr},
        {"elsewhere", nullptr}};
    const char* link = ratios.size() > most ? "some" : left_out > 0 ? "elsewhere" : nullptr;
    if (link != nullptr) {
        view[link] = {{"nightly", view.at("nightly")}, {"count", ratios.size()}};
    }
    return view;
}

json all_ratios_view(const json& summary) {
    const auto& ratios = summary.at("ratios");
    auto view = ratios_view(summary, ratios.size());
    if (view.is_null()) return view;
    view["elsewhere"] = nullptr;
    if (auto rows = missed_rows(ratios, summary); !rows.empty()) {
        view["missed"] = {{"one", std::move(rows)}};
    }
    return view;
}

}  // namespace vigil::service
