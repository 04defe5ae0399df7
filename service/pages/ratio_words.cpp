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

using tables::Aggregate;
using tables::Headline;
using tables::NightRatio;

constexpr std::array numbers{
    std::pair{&Headline::speedup, "speedup"},
    std::pair{&Headline::memory_ratio, "memory ratio"},
    std::pair{&Headline::compile_s, "compile time"}};

std::string words_of(const Aggregate& number, const char* unit) {
    return number.value ? text::rounded(*number.value, 2) + unit : "-";
}

/// The suite's way without the project, which the page names.
std::string short_way(const NightRatio& one, const NightFacts& night) {
    const auto way = name_words(one.way);
    const auto project = name_words(night.project) + " on ";
    return way.starts_with(project) ? way.substr(project.size()) : way;
}

/// Whom any of its numbers leaves out.
std::size_t count_left_out(const Headline& headline) {
    std::set<std::string> models;
    for (const auto& [number, words] : numbers) {
        if (!(headline.*number).value) continue;
        for (const auto& one : (headline.*number).left_out) models.insert(one.model);
    }
    return models.size();
}

std::vector<const NightRatio*> largest_first(const std::vector<NightRatio>& ratios) {
    std::vector<const NightRatio*> ordered;
    for (const auto& one : ratios) ordered.push_back(&one);
    std::ranges::stable_sort(
        ordered, std::ranges::greater(), [](const auto* one) { return one->headline.total; });
    return ordered;
}

json way_row(const NightRatio& one, const NightFacts& night, bool has_compile) {
    const auto& headline = one.headline;
    json row = {
        {"way", short_way(one, night)},
        {"passed", fmt::format("{} of {}", headline.passing, headline.total)},
        {"speedup", words_of(headline.speedup, "x")},
        {"memory", words_of(headline.memory_ratio, "x")},
        {"left_out", count_left_out(headline)},
        {"compile_cell", nullptr}};
    if (has_compile) row["compile_cell"] = {{"compile", words_of(headline.compile_s, " s")}};
    return row;
}

json missed_rows(const NightSummary& summary) {
    auto rows = json::array();
    for (const auto* one : largest_first(summary.ratios)) {
        for (const auto& [member, words] : numbers) {
            const auto& number = one->headline.*member;
            if (!number.value || number.left_out.empty()) continue;
            std::string models;
            for (const auto& [model, why] : number.left_out) {
                models += fmt::format(
                    "{}{} ({})", models.empty() ? "" : ", ", name_words(model), name_words(why));
            }
            rows.push_back(
                {{"way", short_way(*one, summary.facts)}, {"number", words}, {"models", models}});
        }
    }
    return rows;
}

}  // namespace

json ratios_view(const NightSummary& summary, std::size_t most) {
    const auto& ratios = summary.ratios;
    if (ratios.empty()) return nullptr;
    const bool has_compile = std::ranges::any_of(
        ratios, [](const auto& one) { return one.headline.compile_s.value.has_value(); });
    auto ways = json::array();
    std::size_t left_out = 0;
    for (const auto* one : largest_first(ratios)) {
        if (ways.size() == most) break;
        ways.push_back(way_row(*one, summary.facts, has_compile));
        left_out += count_left_out(one->headline);
    }
    const auto night = summary.facts.id.value;
    json view = {
        {"template", "ratios.html"},
        {"project", name_words(summary.facts.project)},
        {"base", tables::plain_backend},
        {"rule", to_string(ratios.front().headline.rule)},
        {"means", has_compile ? "memory ratios and compile times" : "memory ratios"},
        {"nightly", night},
        {"ways", std::move(ways)},
        {"compile_head", has_compile},
        {"some", nullptr},
        {"elsewhere", nullptr}};
    const char* link = ratios.size() > most ? "some" : left_out > 0 ? "elsewhere" : nullptr;
    if (link != nullptr) view[link] = {{"nightly", night}, {"count", ratios.size()}};
    return view;
}

json all_ratios_view(const NightSummary& summary) {
    auto view = ratios_view(summary, summary.ratios.size());
    if (view.is_null()) return view;
    view["elsewhere"] = nullptr;
    if (auto rows = missed_rows(summary); !rows.empty()) {
        view["missed"] = {{"one", std::move(rows)}};
    }
    return view;
}

}  // namespace vigil::service
