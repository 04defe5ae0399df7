#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/markdown.hpp"
#include "service/pages/findings/regression_rows.hpp"
#include "service/pages/night_commits.hpp"
#include "service/pages/night_words.hpp"
#include "service/pages/ratio_words.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

json missing_rows(const json& summary) {
    auto rows = json::array();
    for (const auto& one : summary.at("missing")) {
        rows.push_back(
            {{"what", name_words(one.at("what"))},
             {"why", shown_text(one.at("why").get<std::string>(), 500)}});
    }
    return rows;
}

json verdict_rows(const json& summary) {
    auto rows = json::array();
    const auto& verdicts = summary.at("suspicions");
    if (!verdicts.is_object()) return rows;
    for (const auto& [verdict, count] : verdicts.items()) {
        rows.push_back({{"verdict", verdict}, {"count", count}});
    }
    return rows;
}

}  // namespace

http::Response get_nightly_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(get_night_summary, request, db, context);
    const auto summary = read_api(get_night_summary, request, db, context);
    const auto& nightly = summary.at("nightly");
    const auto found = read_api(
        list_of<lists::regressions, add_worst>,
        request,
        db,
        context,
        {{"nightly", nightly.at("id").dump()}, {"limit", "100"}},
        {});
    const auto commits = read_api(get_night_commits, request, db, context);
    const auto said = night_headline(summary);
    json view = {
        {"title",
         name_words(nightly.at("project")) + " " + name_words(nightly.at("name")) + ": " +
             said.words},
        {"name", name_words(nightly.at("name"))},
        {"project", name_words(nightly.at("project"))},
        {"night", night_view(summary, context.now_s)},
        {"headline", said.words},
        {"mood", mood_name(said.mood)},
        {"sign", said.sign},
        {"facts", night_facts(summary)},
        {"costs", night_costs(summary)},
        {"commits", night_commits_view(commits, context.now_s)},
        {"missing", nullptr},
        {"verdicts", nullptr},
        {"report", nullptr}};
    if (auto rows = missing_rows(summary); !rows.empty()) view["missing"] = {{"one", rows}};
    if (auto ratios = all_ratios_view(summary); ratios.is_object()) {
        view["has_ratios"] = {{"base", ratios.at("base")}, {"ratios", std::move(ratios)}};
    }
    if (auto rows = verdict_rows(summary); !rows.empty()) view["verdicts"] = {{"one", rows}};
    if (!found.at("items").empty()) {
        view["has_found"] = true;
        view["found"] = {
            {"template", "regression_rows.html"},
            {"regression", regression_rows(found.at("items"), context)}};
    }
    if (const auto& report = summary.at("report"); report.is_object()) {
        view["report"] = {{"body", markdown_view(report.at("body").get<std::string>())}};
    }
    return page_response(request, "nightly.html", std::move(view), Shows::thing);
}

}  // namespace vigil::service
