#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/results/night_summary.hpp"
#include "service/api/rows/findings.hpp"
#include "service/api/rows/fleet.hpp"
#include "service/api/rows/results.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/regression_rows.hpp"
#include "service/pages/night_words.hpp"
#include "service/pages/ratio_words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t strip_nights = 30;
constexpr int requested_nights = 60;  // some of them were measured beside the nights
constexpr int shown_regressions = 5;
constexpr std::size_t shown_ways = 4;
constexpr std::size_t most_of_a_trouble = 500;  // it ends with what to do

/// "05" of a night that is named after its day; else nothing.
std::string day_of_month(const std::string& name) {
    const bool is_day = name.size() >= 10 && name[4] == '-' && name[7] == '-';
    return is_day ? name.substr(8, 2) : "";
}

/// How many workers there are, and what is the matter with some.
json machines_view(const Asker& asker) {
    const auto workers = asker.rows<ListedWorker>({{"limit", "500"}});
    if (workers.empty()) return nullptr;
    const auto held = std::ranges::count_if(workers, &ListedWorker::is_held);
    const auto silent = std::ranges::count_if(workers, &ListedWorker::is_silent);
    std::string words = text::counted(std::ssize(workers), "worker");
    if (held > 0) words += ", " + std::to_string(held) + " held";
    if (silent > 0) words += ", " + std::to_string(silent) + " silent";
    return {{"words", words}, {"ill", held + silent > 0}};
}

/// The project's last nights, oldest first: how each ended.
json strip_of(const Asker& asker, const std::string& project) {
    std::map<std::int64_t, std::int64_t> found;
    for (const auto& one :
         asker.rows<RegressionStanding>({{"project", project}, {"limit", "200"}})) {
        if (one.holds()) ++found[one.nightly];
    }
    auto strip = json::array();
    for (const auto& night : asker.rows<ListedNightly>(
             {{"project", project}, {"limit", std::to_string(requested_nights)}})) {
        if (night.beside) continue;
        if (strip.size() == strip_nights) break;
        const auto judged = night.backfill ? JudgedNight::no : JudgedNight::yes;
        const auto mood = night_mood(night.state, found[night.id.value], judged);
        strip.push_back(
            {{"id", night.id.value},
             {"mood", mood_name(mood.mood)},
             {"sign", mood.sign},
             {"day", day_of_month(night.name)},
             {"label", name_words(night.name) + ": " + mood.words}});
    }
    std::reverse(strip.begin(), strip.end());
    return strip;
}

/// What the page says of one project, and how urgent it is.
struct ProjectView {
    bool has_night = false;
    Mood mood = Mood::quiet;
    std::string headline = "No night yet";
    json view;
};

ProjectView project_view(const Asker& asker, const ListedProject& project) {
    const auto name = name_words(project.name);
    ProjectView made;
    auto& view = made.view = {{"project", name}, {"night", nullptr}};
    if (!project.newest_nightly) {
        view["headline"] = made.headline;
        view["no_night"] = {{"project", name}};
        view["mood"] = mood_name(made.mood);
        return made;
    }
    const auto now_s = asker.context.now_s;
    const auto summary = load_night_summary(asker.db, asker.context, project.newest_nightly->id);
    const auto said = night_headline(summary);
    made.has_night = true;
    made.mood = said.mood;
    view["headline"] = made.headline = said.words;
    view["mood"] = mood_name(said.mood);
    view["sign"] = said.sign;
    view["night"] = night_view(summary.facts, now_s);
    view["progress"] = night_progress(summary, now_s);
    view["facts"] = night_facts(summary);
    view["better"] = night_improvements(summary.facts);
    if (auto ratios = ratios_view(summary, shown_ways); ratios.is_object()) {
        view["has_ratios"] = {{"base", ratios.at("base")}, {"ratios", std::move(ratios)}};
    }
    view["strip"] = {{"nights", strip_of(asker, project.name)}};
    const auto open = asker.page<ListedRegression>(
        {{"project", project.name},
         {"state", "open"},
         {"limit", std::to_string(shown_regressions)}});
    if (!open.rows.empty()) {
        view["open"] = {
            {"template", "regression_rows.html"},
            {"regression", regression_rows(open.rows, asker.context)}};
        view["has_open"] = true;
    }
    if (!open.next_cursor.empty()) {
        view["more"] = {
            {"href",
             "/regressions" + http::query_string({{"project", project.name}, {"state", "open"}})}};
    }
    return made;
}

json trouble_rows(const Asker& asker) {
    auto rows = json::array();
    for (const auto& one : asker.rows<ListedTrouble>({{"state", "open"}, {"limit", "20"}})) {
        rows.push_back(
            {{"message", shown_text(one.message, most_of_a_trouble)},
             {"since", time_view(one.since_s, asker.context.now_s)}});
    }
    return rows;
}

std::string tonight_title(const std::vector<ProjectView>& projects) {
    const auto count = [&](Mood mood) {
        return std::ranges::count(projects, mood, &ProjectView::mood);
    };
    if (projects.empty()) return "No project yet";
    if (count(Mood::bad) > 0) return "Needs attention";
    if (count(Mood::busy) > 0) return "The night is being measured";
    for (const auto& one : projects) {  // "all clear" is said where it holds of every night
        if (one.mood == Mood::quiet && one.has_night) return one.headline;
    }
    return count(Mood::good) > 0 ? "All clear" : "Nothing is measured yet";
}

/// What waits for a person comes first, then what is at work.
int urgency(const ProjectView& project) {
    if (project.mood == Mood::bad) return 0;
    return project.mood == Mood::busy ? 1 : 2;
}

}  // namespace

http::Response get_tonight_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(ListedProject::list, request, db, context);
    const Asker asker{request, db, context};
    std::vector<ProjectView> projects;
    for (const auto& project : asker.rows<ListedProject>({{"limit", "100"}})) {
        projects.push_back(project_view(asker, project));
    }
    std::ranges::stable_sort(projects, {}, urgency);
    json view = {{"title", tonight_title(projects)}, {"projects", json::array()}};
    for (auto& one : projects) view["projects"].push_back(std::move(one.view));
    if (auto rows = trouble_rows(asker); !rows.empty()) view["troubles"] = {{"trouble", rows}};
    view["machines"] = machines_view(asker);
    if (projects.empty()) view["none"] = true;
    return page_response(request, "tonight.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
