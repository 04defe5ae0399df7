#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/regression_rows.hpp"
#include "service/pages/night_words.hpp"
#include "service/pages/ratio_words.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t strip_nights = 30;
constexpr int requested_nights = 60;  // some of them were measured beside the nights
constexpr int shown_regressions = 5;
constexpr std::size_t shown_ways = 4;
constexpr std::size_t most_of_a_trouble = 500;  // it ends with what to do

/// What one page of tonight asks of the API.
struct Desk {
    const http::Request& request;
    Database& db;
    const HandlerContext& context;

    json list(Handler handler, const std::map<std::string, std::string>& query) const {
        return read_api(handler, request, db, context, query, {});
    }
    json items(Handler handler, const std::map<std::string, std::string>& query) const {
        return list(handler, query).at("items");
    }
};

/// "05" of a night that is named after its day; else nothing.
std::string day_of_month(const std::string& name) {
    const bool is_day = name.size() >= 10 && name[4] == '-' && name[7] == '-';
    return is_day ? name.substr(8, 2) : "";
}

/// How many workers there are, and what is the matter with some.
json machines_view(const Desk& desk) {
    const auto workers = desk.items(list_of<lists::workers, add_unseen>, {{"limit", "500"}});
    if (workers.empty()) return nullptr;
    std::int64_t held = 0;
    std::int64_t silent = 0;
    for (const auto& one : workers) {
        const bool is_held = one.at("state") == "quarantined";
        held += is_held ? 1 : 0;
        silent += !is_held && one.at("unseen_s").is_number() ? 1 : 0;
    }
    std::string words = text::counted(static_cast<std::int64_t>(workers.size()), "worker");
    if (held > 0) words += ", " + std::to_string(held) + " held";
    if (silent > 0) words += ", " + std::to_string(silent) + " silent";
    return {{"words", words}, {"ill", held + silent > 0}};
}

/// The project's last nights, oldest first: how each ended.
json strip_of(const Desk& desk, const std::string& project) {
    const auto nights = desk.list(
        list_of<lists::nightlies>,
        {{"project", project}, {"limit", std::to_string(requested_nights)}});
    const auto regressions =
        desk.list(list_of<lists::regressions>, {{"project", project}, {"limit", "200"}});
    std::map<std::int64_t, std::int64_t> found;
    for (const auto& one : regressions.at("items")) {
        if (holds(one)) ++found[one.at("nightly").get<std::int64_t>()];
    }
    auto strip = json::array();
    for (const auto& night : nights.at("items")) {
        if (!night.at("beside").is_null()) continue;
        if (strip.size() == strip_nights) break;
        const auto id = night.at("id").get<std::int64_t>();
        const auto judged = night.at("backfill").is_null() ? JudgedNight::yes : JudgedNight::no;
        const auto mood = night_mood(night.at("state").get<std::string>(), found[id], judged);
        strip.push_back(
            {{"id", id},
             {"mood", mood_name(mood.mood)},
             {"sign", mood.sign},
             {"day", day_of_month(night.at("name").get<std::string>())},
             {"label", name_words(night.at("name")) + ": " + mood.words}});
    }
    std::reverse(strip.begin(), strip.end());
    return strip;
}

json project_view(const Desk& desk, const json& project) {
    const auto name = project.at("name").get<std::string>();
    json view = {{"project", name_words(project.at("name"))}, {"night", nullptr}};
    const auto open = desk.list(
        list_of<lists::regressions, add_worst>,
        {{"project", name}, {"state", "open"}, {"limit", std::to_string(shown_regressions)}});
    const auto& newest = project.at("newest_nightly");
    if (newest.is_null()) {
        view["headline"] = "No night yet";
        view["no_night"] = {{"project", view.at("project")}};
        view["mood"] = mood_name(Mood::quiet);
        return view;
    }
    const auto summary = read_api(
        get_night_summary,
        desk.request,
        desk.db,
        desk.context,
        {},
        {{"id", newest.at("id").dump()}});
    const auto said = night_headline(summary);
    view["headline"] = said.words;
    view["mood"] = mood_name(said.mood);
    view["sign"] = said.sign;
    view["night"] = night_view(summary, desk.context.now_s);
    view["progress"] = night_progress(summary, desk.context.now_s);
    view["facts"] = night_facts(summary);
    view["better"] = night_improvements(summary);
    if (auto ratios = ratios_view(summary, shown_ways); ratios.is_object()) {
        view["has_ratios"] = {{"base", ratios.at("base")}, {"ratios", std::move(ratios)}};
    }
    view["strip"] = {{"nights", strip_of(desk, name)}};
    if (!open.at("items").empty()) {
        view["open"] = {
            {"template", "regression_rows.html"},
            {"regression", regression_rows(open.at("items"), desk.context)}};
        view["has_open"] = true;
    }
    if (!open.at("next_cursor").is_null()) {
        view["more"] = {
            {"href", "/regressions" + http::query_string({{"project", name}, {"state", "open"}})}};
    }
    return view;
}

json trouble_rows(const Desk& desk) {
    auto rows = json::array();
    const std::map<std::string, std::string> open{{"state", "open"}, {"limit", "20"}};
    for (const auto& one : desk.items(list_of<lists::troubles>, open)) {
        rows.push_back(
            {{"message", shown_text(one.at("message").get<std::string>(), most_of_a_trouble)},
             {"since", time_view(one.at("since_s"), desk.context.now_s)}});
    }
    return rows;
}

std::string tonight_title(const json& projects) {
    const auto count = [&](Mood mood) {
        return std::ranges::count_if(
            projects, [&](const auto& one) { return one.at("mood") == mood_name(mood); });
    };
    if (projects.empty()) return "No project yet";
    if (count(Mood::bad) > 0) return "Needs attention";
    if (count(Mood::busy) > 0) return "The night is being measured";
    for (const auto& one : projects) {  // "all clear" is said where it holds of every night
        const bool is_quiet = one.at("mood") == mood_name(Mood::quiet);
        if (is_quiet && one.at("night").is_object()) return one.at("headline");
    }
    return count(Mood::good) > 0 ? "All clear" : "Nothing is measured yet";
}

/// What waits for a person comes first, then what is at work.
int urgency(const json& project) {
    const auto& mood = project.at("mood");
    if (mood == mood_name(Mood::bad)) return 0;
    return mood == mood_name(Mood::busy) ? 1 : 2;
}

}  // namespace

http::Response get_tonight_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    constexpr Handler projects = list_of<lists::projects, add_config>;
    if (wants_data(request)) return data_response(projects, request, db, context);
    const Desk desk{request, db, context};
    auto views = json::array();
    for (const auto& project : desk.items(projects, {{"limit", "100"}})) {
        views.push_back(project_view(desk, project));
    }
    std::stable_sort(views.begin(), views.end(), [](const json& a, const json& b) {
        return urgency(a) < urgency(b);
    });
    json view = {{"title", tonight_title(views)}, {"projects", views}};
    if (auto rows = trouble_rows(desk); !rows.empty()) view["troubles"] = {{"trouble", rows}};
    view["machines"] = machines_view(desk);
    if (views.empty()) view["none"] = true;
    return page_response(request, "tonight.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
