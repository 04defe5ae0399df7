#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/by_hand.hpp"
#include "schema/model/error.hpp"
#include "schema/model/revert_check.hpp"
#include "schema/model/states.hpp"
#include "service/api/findings/standing.hpp"
#include "service/api/rows/findings.hpp"
#include "service/pages/common/cookie.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/markdown.hpp"
#include "service/pages/findings/regression_rows.hpp"
#include "service/pages/findings/search_parts.hpp"
#include "service/pages/findings/search_view.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

struct Answer {
    RegressionState to;
    std::string_view label;
    std::string_view meaning;
};

/// Of profiles and of a revert check: what was asked has its answer.
constexpr std::string_view done_state = "done";

constexpr Answer answers[] = {
    {RegressionState::acknowledged, "Acknowledge", "somebody looks at it"},
    {RegressionState::accepted,
     "Accept",
     "it is known and wanted: the new level counts from now on"},
    {RegressionState::refuted, "Refute", "it is no regression, or not this commit's"},
    {RegressionState::reported, "Reopen", "the answer is taken back"}};

json series_rows(const ListedRegression& regression) {
    auto rows = json::array();
    for (const auto& one : regression.series) {
        const auto level = [&](double ListedSize::*side) {
            return one.size ? quantity_words((*one.size).*side, one.unit) : "";
        };
        rows.push_back(
            {{"series", one.series},
             {"name", series_words(one)},
             {"before", level(&ListedSize::before)},
             {"after", level(&ListedSize::after)},
             {"change", change_words(one)},
             {"today", today_view(one)},
             {"is_back", one.recovered_nightly.has_value()}});
    }
    return rows;
}

json event_rows(const Asker& asker, std::int64_t id) {
    auto rows = json::array();
    for (const auto& event : asker.rows<ListedEvent>(
             {{"subject", "regression/" + std::to_string(id)}, {"limit", "100"}})) {
        rows.push_back(
            {{"at", time_view(event.at_s, asker.context.now_s)},
             {"message", shown_text(event.words(), 1000)}});
    }
    return rows;
}

/// The newest text that was filed of it, without what the page has itself; null where there is none
/// yet.
/// @param shown  headings of the report's sections that the page shows
json report_view(
    const Asker& asker,
    const WholeRegression& regression,
    const std::vector<std::string_view>& shown) {
    if (regression.reports.empty()) return nullptr;
    const auto id = regression.reports.front().id;
    const auto report = asker.one<ListedReport>(id);
    const auto parts = split_verdict(report.body);
    return {
        {"version", report.version},
        {"at", time_view(report.created_at_s, asker.context.now_s)},
        {"verdict", markdown_view(parts.verdict)},
        {"id", id},
        {"body", markdown_view(without_sections(parts.rest, shown))}};
}

/// How its series lie along the commits, the largest change first; null where nothing was searched.
json levels_of(const Asker& asker, const WholeRegression& regression) {
    static constexpr std::size_t most_plots = 4;
    if (!regression.bisection) return nullptr;
    const auto levels = load_levels(asker.db, asker.context, RegressionId{regression.id});
    auto plots = json::array();
    for (const auto& [id, marks] : levels.series) {
        if (plots.size() == most_plots) break;
        const auto named =
            std::ranges::find(regression.series, id.value, &ListedSeriesChange::series);
        const auto name = named == regression.series.end() ? "" : series_words(*named);
        auto plot = levels_view(levels, marks, regression.culprit, name);
        if (!plot.is_null()) plots.push_back(std::move(plot));
    }
    if (plots.empty()) return nullptr;
    return {{"levels", std::move(plots)}};
}

/// The search that it is of: while it goes on, with how likely each commit is.
json search_of(const Asker& asker, const WholeRegression& regression) {
    if (!regression.bisection) return nullptr;
    const auto search = asker.one<WholeSearch>(*regression.bisection);
    const auto standing = load_standing(asker.db, asker.context, BisectionId{search.id});
    auto view = search_parts(asker, search, standing);
    view["id"] = search.id;
    view["summary"] = shown_text(standing.summary, 500);
    return view;
}

/// What the reader may do with it; null where that is nothing.
json answer_view(const http::Request& request, RegressionState state) {
    const auto key = form_key(request.headers);
    if (key.empty() || !request.caller || !request.caller->scopes.may(Scope::triage))
        return nullptr;
    auto choices = json::array();
    for (const auto& answer : answers) {
        if (!may_move_by_hand(state, answer.to)) continue;
        choices.push_back(
            {{"to", to_string(answer.to)}, {"label", answer.label}, {"meaning", answer.meaning}});
    }
    json view = {
        {"key", key}, {"here", request.path}, {"state", nullptr}, {"mute", is_open(state)}};
    if (!choices.empty()) view["state"] = {{"choice", choices}};
    return view;
}

/// A button that asks for work on the culprit; null where nobody, or this reader, can ask.
/// @param asked  what was asked before; its `state` is "done" once it is over
template <class Asked>
json asking_view(
    const http::Request& request,
    const WholeRegression& regression,
    const std::optional<Asked>& asked,
    std::string_view verb,
    std::string_view verb_again) {
    const auto key = form_key(request.headers);
    const bool may = !key.empty() && request.caller && request.caller->scopes.may(Scope::trigger);
    const bool goes_on = asked && asked->state != done_state;
    if (!may || !regression.culprit || goes_on) return nullptr;
    return {{"key", key}, {"here", request.path}, {"verb", asked ? verb_again : verb}};
}

/// The revert check: how it stands, and the button that asks for it; null where there is neither.
json revert_view(const http::Request& request, const WholeRegression& regression) {
    const auto& check = regression.revert;
    auto form = asking_view(request, regression, check, "Check a revert", "Check again");
    if (!check && form.is_null()) return nullptr;
    json view = {{"asked", nullptr}, {"runs", nullptr}, {"form", std::move(form)}};
    if (!check) return view;
    auto& asked = view["asked"] = {{"words", shown_text(check->words, 2000)}};
    if (check->state != done_state) {
        const bool waits = check->state == to_string(RevertState::waiting);
        asked["standing"] = state_view(waits ? "asked" : "measuring");
    }
    if (check->request) view["runs"] = {{"id", *check->request}};
    return view;
}

json flame_view(const WholeRegression& regression) {
    if (!regression.why || !regression.why->flame) return nullptr;
    return {{"href", "/regressions/" + std::to_string(regression.id) + "/flame.svg"}};
}

/// What people told of it, because it was not found.
json missed_views(const Asker& asker, const std::vector<std::int64_t>& ids) {
    auto views = json::array();
    for (const auto id : ids) {
        const auto one = asker.one<ListedMissed>(id);
        json view = {
            {"by", name_words(one.by)}, {"night", name_words(one.night)}, {"commit", nullptr}};
        if (one.commit) view["commit"] = {{"brief", Revision(*one.commit).brief()}};
        views.push_back(std::move(view));
    }
    return views;
}

json reason_view(const std::string& reason) {
    if (reason.empty()) return nullptr;
    return {{"reason", shown_text(reason, 2000)}};
}

json link_view(const std::optional<std::string>& href) {
    if (!href) return nullptr;
    return {{"href", *href}};
}

json last_answer(const std::optional<LastAnswer>& answer, std::int64_t now_s) {
    if (!answer) return nullptr;
    return {
        {"by", name_words(answer->by)},
        {"reason", shown_text(answer->reason, 2000)},
        {"at", time_view(answer->at_s, now_s)}};
}

/// A part of the page that rows of the search give. Where they cannot be read, the page goes on
/// without it, and says why.
template <class Make>
json part_of(json& unreadable, const char* part, const Make& make) {
    try {
        return make();
    } catch (const Error& error) {
        unreadable.push_back({{"part", part}, {"why", shown_text(error.what(), 500)}});
        return nullptr;
    }
}

}  // namespace

http::Response get_regression_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(get_regression, request, db, context);
    const Asker asker{request, db, context};
    const auto regression = asker.named<WholeRegression>();
    const auto row = regression_row(regression, context);
    const auto state = parse_enum<RegressionState>(regression.state);
    const auto& reports = regression.reports;
    const auto& links = regression.links;
    const auto number = "Regression " + std::to_string(regression.id);
    auto unreadable = json::array();
    auto moved = part_of(unreadable, "The levels", [&] { return levels_of(asker, regression); });
    auto search = part_of(unreadable, "The search", [&] { return search_of(asker, regression); });
    std::vector<std::string_view> shown{"Levels along the commits"};  // a tracker draws its source
    if (search.is_object()) shown.push_back("The search");
    json view = {
        {"title", reports.empty() ? number : name_words(reports.front().title)},
        {"number", number},
        {"row", row},
        {"nobody", !regression.assigned},
        {"night", night_link(asker, regression.nightly)},
        {"missed", missed_views(asker, regression.missed)},
        {"why", reason_view(regression.reason)},
        {"commit_link", link_view(links.culprit)},
        {"range_link", link_view(links.range)},
        {"issue_link", link_view(links.issue)},
        {"answered", last_answer(regression.answer, context.now_s)},
        {"events", {{"event", event_rows(asker, regression.id)}}},
        {"moved", std::move(moved)},
        {"search", std::move(search)},
        {"unreadable", std::move(unreadable)},
        {"report", report_view(asker, regression, shown)},
        {"flame", flame_view(regression)},
        {"profile", asking_view(request, regression, regression.why, "Say why", "Profile again")},
        {"revert", revert_view(request, regression)},
        {"answers", answer_view(request, state)}};
    if (!reports.empty()) {  // it has them
        for (const char* part : {"culprit", "range"}) view["row"][part] = nullptr;
        view["why"] = nullptr;
    } else {
        view["no_report"] = {{"worst", row.at("worst")}};
        auto sizes = series_rows(regression);  // one that joined another has none
        if (!sizes.empty()) view["sizes"] = {{"series", std::move(sizes)}};
    }
    if (view.at("answers").is_null()) {
        view["may_not_answer"] = {
            {"sign_in", "/login" + http::query_string({{"next", request.path}})}};
    }
    return page_response(request, "regression.html", std::move(view), Shows::thing);
}

}  // namespace vigil::service
