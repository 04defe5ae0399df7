#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric_words.hpp"
#include "schema/model/states.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/suite_filters.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr Handler all_requests = list_of<lists::requests, add_runs_of_request>;
constexpr Handler one_request = one_of<lists::requests, add_runs_of_request>;
constexpr std::size_t name_length = 60;

std::string named(const json& request, const char* name, const char* revision) {
    const auto& known = request.at(revision);
    const auto words = shown_text(request.at(name).get<std::string>(), name_length);
    return known.is_string() && known != request.at(name)
               ? words + " (" + short_revision(known) + ")"
               : words.substr(0, name_length);
}

std::string kind_words(const json& request) {
    const auto kind = request.at("kind").get<std::string>();
    const auto a = named(request, "a", "a_revision");
    const auto b = named(request, "b", "b_revision");
    if (kind == "run") return "runs of " + a;
    if (kind == "bisection") return "search from " + a + " to " + b;
    return "comparison of " + a + " and " + b;
}

json request_row(const json& request, std::int64_t now_s) {
    json row = {
        {"id", request.at("id")},
        {"what", kind_words(request)},
        {"project", name_words(request.at("project"))},
        {"state", state_view(request.at("state").get<std::string>())},
        {"by", name_words(request.at("by"))},
        {"runs", request.at("runs")},
        {"most", request.at("most_runs").is_number() ? request.at("most_runs").dump() : ""},
        {"message", shown_text(request.at("message").get<std::string>(), 300)},
        {"begun", time_view(request.at("created_at_s"), now_s)},
        {"over", nullptr},
        {"search", nullptr}};
    if (request.at("ended_at_s").is_number()) {
        row["over"] = {{"ended", time_view(request.at("ended_at_s"), now_s)}};
    }
    if (request.at("bisection").is_number()) row["search"] = {{"id", request.at("bisection")}};
    return row;
}

json verdict_rows(const json& session) {
    auto rows = json::array();
    for (const auto& said : session.at("verdicts")) {
        const auto& comparison = said.at("comparison");
        const auto& unit = said.at("unit");
        json row = {
            {"series", said.at("series")},
            {"benchmark", benchmark_words(session)},
            {"variant", name_words(session.at("variant"))},
            {"machine_class", name_words(session.at("machine_class"))},
            {"metric", metric_words(said.at("metric").get<std::string>())},
            {"verdict", said.at("verdict").is_string() ? said.at("verdict") : json("not yet")},
            {"reason", shown_text(said.at("reason").get<std::string>(), 500)},
            {"before", quantity_words(member(comparison, "before"), unit)},
            {"after", quantity_words(member(comparison, "after"), unit)},
            {"change", percent_words(member(comparison, "change_ratio"))},
            {"interval", ""}};
        if (member(comparison, "low").is_number()) {
            row["interval"] = percent_words(member(comparison, "low")) + " to " +
                              percent_words(member(comparison, "high"));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Runs of one build have values and no verdict.
json run_rows(const json& session) {
    auto rows = json::array();
    for (const auto& run : session.at("runs")) {
        rows.push_back(
            {{"benchmark", benchmark_words(session)},
             {"variant", name_words(session.at("variant"))},
             {"revision", short_revision(run.at("revision"))},
             {"outcome", run.at("outcome")},
             {"metric",
              run.at("metric").is_string() ? metric_words(run.at("metric").get<std::string>())
                                           : ""},
             {"value", quantity_words(run.at("value"), member(run, "unit"))}});
    }
    return rows;
}

json culprit_view(const json& request) {
    const auto& culprit = member(request, "culprit");
    if (!culprit.is_object()) return nullptr;
    return {
        {"revision", short_revision(culprit.at("revision"))},
        {"subject", name_words(culprit.at("subject"))},
        {"author", name_words(culprit.at("author"))}};
}

}  // namespace

http::Response get_requests_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(all_requests, request, db, context);
    const auto asked = given_filters(request);
    const auto list = read_api(all_requests, request, db, context, asked, {});
    auto rows = json::array();
    std::int64_t open = 0;
    for (const auto& one : list.at("items")) {
        open += one.at("ended_at_s").is_null() ? 1 : 0;
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
        {"next", next_view(request, list)}};
    return page_response(request, "requests.html", std::move(view), Shows::list);
}

http::Response get_request_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(one_request, request, db, context);
    const auto asked = read_api(one_request, request, db, context);
    auto verdicts = json::array();
    auto runs = json::array();
    auto notes = json::array();
    for (const auto& session : asked.at("sessions")) {
        for (auto& row : verdict_rows(session)) verdicts.push_back(std::move(row));
        for (auto& row : run_rows(session)) runs.push_back(std::move(row));
        const auto message = session.at("message").get<std::string>();
        if (message.empty()) continue;
        notes.push_back(
            {{"words",
              benchmark_words(session) + ", " + name_words(session.at("variant")) + ": " +
                  shown_text(message, 500)}});
    }
    json view = {
        {"title", "Request " + asked.at("id").dump() + ": " + kind_words(asked)},
        {"row", request_row(asked, context.now_s)},
        {"culprit", culprit_view(asked)},
        {"notes", std::move(notes)},
        {"verdicts", nullptr},
        {"runs", nullptr}};
    if (!verdicts.empty()) view["verdicts"] = {{"one", std::move(verdicts)}};
    if (!runs.empty()) view["runs"] = {{"one", std::move(runs)}};
    return page_response(request, "request.html", std::move(view), Shows::thing);
}

}  // namespace vigil::service
