#include <nlohmann/json.hpp>

#include "service/api/results/night_summary.hpp"
#include "service/api/rows/findings.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/findings/markdown.hpp"
#include "service/pages/findings/regression_rows.hpp"
#include "service/pages/night_commits.hpp"
#include "service/pages/night_words.hpp"
#include "service/pages/ratio_words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

json missing_rows(const NightFacts& night) {
    auto rows = json::array();
    for (const auto& one : night.missing) {
        rows.push_back({{"what", name_words(one.what)}, {"why", shown_text(one.why, 500)}});
    }
    return rows;
}

json verdict_rows(const NightSummary& summary) {
    auto rows = json::array();
    for (const auto& [verdict, count] : summary.verdicts) {
        rows.push_back({{"verdict", verdict}, {"count", count}});
    }
    return rows;
}

}  // namespace

http::Response get_nightly_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(get_night_summary, request, db, context);
    const NightlyId id{id_parameter(request)};
    const auto summary = load_night_summary(db, context, id);
    const auto& nightly = summary.facts;
    const auto found = Asker{request, db, context}.rows<ListedRegression>(
        {{"nightly", to_string(id)}, {"limit", "100"}});
    const auto commits = load_night_range(db, context, id);
    const auto said = night_headline(summary);
    json view = {
        {"title", name_words(nightly.project) + " " + name_words(nightly.name) + ": " + said.words},
        {"name", name_words(nightly.name)},
        {"project", name_words(nightly.project)},
        {"night", night_view(nightly, context.now_s)},
        {"headline", said.words},
        {"mood", mood_name(said.mood)},
        {"sign", said.sign},
        {"facts", night_facts(summary)},
        {"costs", night_costs(summary)},
        {"commits", night_commits_view(commits, context.now_s)},
        {"missing", nullptr},
        {"verdicts", nullptr},
        {"report", nullptr}};
    if (auto rows = missing_rows(nightly); !rows.empty()) view["missing"] = {{"one", rows}};
    if (auto ratios = all_ratios_view(summary); ratios.is_object()) {
        view["has_ratios"] = {{"base", ratios.at("base")}, {"ratios", std::move(ratios)}};
    }
    if (auto rows = verdict_rows(summary); !rows.empty()) view["verdicts"] = {{"one", rows}};
    if (!found.empty()) {
        view["has_found"] = true;
        view["found"] = {
            {"template", "regression_rows.html"}, {"regression", regression_rows(found, context)}};
    }
    if (!summary.report.empty()) view["report"] = {{"body", markdown_view(summary.report)}};
    return page_response(request, "nightly.html", std::move(view), Shows::thing);
}

}  // namespace vigil::service
