#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric_words.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/sparkline.hpp"
#include "service/pages/measured/suite_filters.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr double told_change = 0.05;  // what the page counts as moved
constexpr std::size_t most_trends = 500;

/// One night alone is no change that is known.
ChangeMood trend_mood(const json& item) {
    if (item.at("by") == "night") return {"", ""};
    return change_mood(item.at("change_ratio"), told_change);
}

json trend_view(const json& item, const std::map<std::int64_t, std::string>& nights) {
    const auto& unit = item.at("unit");
    const auto mood = trend_mood(item);
    json view = {
        {"id", item.at("series")},
        {"benchmark", benchmark_words(item)},
        {"variant", name_words(item.at("variant"))},
        {"machine_class", name_words(item.at("machine_class"))},
        {"metric", metric_words(item.at("metric").get<std::string>())},
        {"now", quantity_words(item.at("value"), unit)},
        {"change", moved_words(item.at("change_ratio"), item.at("base"), item.at("value"), unit)},
        {"mood", mood.mood},
        {"sign", mood.sign},
        {"line", sparkline(item.at("values"))},
        {"since", nullptr},
        {"alone", item.at("by") == "night"},
        {"again", item.at("by") == "measured_again"},
        {"base", nullptr}};
    if (item.at("base").is_number()) {
        view["base"] = {{"y", sparkline_place(item.at("values"), item.at("base").get<double>())}};
    }
    if (item.at("since").is_number()) {
        const auto night = nights.find(item.at("since").get<std::int64_t>());
        if (night != nights.end()) view["since"] = {{"night", night->second}};
    }
    return view;
}

/// What the page says first.
std::string trends_title(const json& items) {
    std::int64_t worse = 0;
    std::int64_t better = 0;
    for (const auto& item : items) {
        const auto mood = trend_mood(item).mood;
        worse += mood == "bad" ? 1 : 0;
        better += mood == "good" ? 1 : 0;
    }
    if (items.empty()) return "No series fits";
    if (worse + better == 0) {
        return text::counted(static_cast<std::int64_t>(items.size()), "series", "series") +
               ", none moved";
    }
    return fmt::format("{} worse, {} better of {} series", worse, better, items.size());
}

}  // namespace

http::Response get_trends_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(get_trends, request, db, context);
    const auto asked = given_filters(request);
    const auto trends = read_api(get_trends, request, db, context, asked, {});
    std::map<std::int64_t, std::string> nights;
    for (const auto& night : trends.at("nights")) {
        nights.emplace(night.at("nightly").get<std::int64_t>(), name_words(night.at("night")));
    }
    const auto& items = trends.at("items");
    auto rows = json::array();
    for (const auto& item : items) {
        if (rows.size() == most_trends) break;
        rows.push_back(trend_view(item, nights));
    }
    auto fields = suite_choices(context.config, asked, "any");
    fields.push_back(text_field("benchmark", "Benchmark", asked));
    fields.push_back(text_field("variant", "Variant", asked));
    fields.push_back(text_field("search", "Search", asked));
    fields.push_back(choice_field("nights", "Nights", {"30", "60", "90"}, asked));
    const bool none = rows.empty();
    const bool is_cut = items.size() > rows.size();
    json view = {
        {"title", trends_title(items)},
        {"tabs", suite_tabs("/trends", trends.at("project").get<std::string>())},
        {"project", name_words(trends.at("project"))},
        {"nights", trends.at("nights").size()},
        {"filter_form", filter_form(std::move(fields))},
        {"trends", std::move(rows)},
        {"none", none},
        {"cut", is_cut ? json{{"most", most_trends}} : json()}};
    return page_response(request, "trends.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
