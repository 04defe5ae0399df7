#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric_words.hpp"
#include "schema/model/states.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/rows/results.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/suite_filters.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t name_length = 60;

std::string named(const std::string& name, const std::optional<std::string>& revision) {
    const auto words = shown_text(name, name_length);
    return revision && *revision != name ? words + " (" + short_revision(*revision) + ")"
                                         : words.substr(0, name_length);
}

std::string kind_words(const ListedRequest& request) {
    const auto a = named(request.a, request.a_revision);
    const auto b = named(request.b, request.b_revision);
    if (request.kind == "run") return "runs of " + a;
    if (request.kind == "bisection") return "search from " + a + " to " + b;
    return "comparison of " + a + " and " + b;
}

json request_row(const ListedRequest& request, std::int64_t now_s) {
    json row = {
        {"id", request.id},
        {"what", kind_words(request)},
        {"project", name_words(request.project)},
        {"state", state_view(request.state)},
        {"by", name_words(request.by)},
        {"runs", request.runs},
        {"most", request.most_runs ? std::to_string(*request.most_runs) : ""},
        {"message", shown_text(request.message, 300)},
        {"begun", time_view(request.created_at_s, now_s)},
        {"over", nullptr},
        {"search", nullptr}};
    if (request.ended_at_s) row["over"] = {{"ended", time_view(request.ended_at_s, now_s)}};
    if (request.bisection) row["search"] = {{"id", *request.bisection}};
    return row;
}

json verdict_rows(const RequestedSession& session) {
    auto rows = json::array();
    for (const auto& said : session.verdicts) {
        const auto& size = said.comparison;
        json row = {
            {"series", said.series},
            {"benchmark", name_words(session.benchmark)},
            {"variant", name_words(session.variant)},
            {"machine_class", name_words(session.machine_class)},
            {"metric", metric_words(said.metric)},
            {"verdict", said.verdict.value_or("not yet")},
            {"reason", shown_text(said.reason, 500)},
            {"before", size ? quantity_words(size->before, said.unit) : ""},
            {"after", size ? quantity_words(size->after, said.unit) : ""},
            {"change", size ? percent_words(size->change_ratio) : ""},
            {"interval", ""}};
        if (size && size->low) {
            row["interval"] = percent_words(size->low) + " to " + percent_words(size->high);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Runs of one build have values and no verdict.
json run_rows(const RequestedSession& session) {
    auto rows = json::array();
    for (const auto& run : session.runs) {
        rows.push_back(
            {{"benchmark", name_words(session.benchmark)},
             {"variant", name_words(session.variant)},
             {"revision", short_revision(run.revision)},
             {"outcome", run.outcome},
             {"metric", run.metric ? metric_words(*run.metric) : ""},
             {"value", quantity_words(run.value, std::string())}});
    }
    return rows;
}

json culprit_view(const std::optional<ListedCommit>& culprit) {
    if (!culprit) return nullptr;
    return {
        {"revision", short_revision(culprit->revision)},
        {"subject", name_words(culprit->subject)},
        {"author", name_words(culprit->author)}};
}

}  // namespace

http::Response get_requests_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(ListedRequest::list, request, db, context);
    const auto asked = given_filters(request);
    const auto list = Asker{request, db, context}.page<ListedRequest>(asked);
    auto rows = json::array();
    std::int64_t open = 0;
    for (const auto& one : list.rows) {
        open += one.ended_at_s ? 0 : 1;
        rows.push_back(request_row(one, context.now_s));
    }
    std::vector<std::string> states;
    for (const auto& [state, name] : enum_names<RequestState>) states.emplace_back(name);
    const bool none = rows.empty();
    json view = {
        {"title",
         none ? "Nobody asked for a measurement" : text::counted(open, "request") + " open"},
        {"tabs", suite_tabs("/requests", "")},
        {"filter_form",
         filter_form(
             {choice_field("project", "Project", names_in(context.config.projects), asked),
              choice_field("kind", "Kind", {"run", "comparison", "bisection"}, asked),
              choice_field("state", "State", states, asked)})},
        {"none", none},
        {"rows", std::move(rows)},
        {"next", next_view(request, list.next_cursor)}};
    return page_response(request, "requests.html", std::move(view), Shows::list);
}

http::Response get_request_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(WholeRequest::one, request, db, context);
    const auto asked = Asker{request, db, context}.named<WholeRequest>();
    auto verdicts = json::array();
    auto runs = json::array();
    auto notes = json::array();
    for (const auto& session : asked.sessions) {
        for (auto& row : verdict_rows(session)) verdicts.push_back(std::move(row));
        for (auto& row : run_rows(session)) runs.push_back(std::move(row));
        if (session.message.empty()) continue;
        notes.push_back(
            {{"words",
              name_words(session.benchmark) + ", " + name_words(session.variant) + ": " +
                  shown_text(session.message, 500)}});
    }
    json view = {
        {"title", fmt::format("Request {}: ", asked.id) + kind_words(asked)},
        {"row", request_row(asked, context.now_s)},
        {"culprit", culprit_view(asked.culprit)},
        {"notes", std::move(notes)},
        {"verdicts", nullptr},
        {"runs", nullptr}};
    if (!verdicts.empty()) view["verdicts"] = {{"one", std::move(verdicts)}};
    if (!runs.empty()) view["runs"] = {{"one", std::move(runs)}};
    return page_response(request, "request.html", std::move(view), Shows::thing);
}

}  // namespace vigil::service
