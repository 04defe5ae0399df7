#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "schema/wire/json.hpp"
#include "service/pages/common/api_change.hpp"
#include "service/pages/common/cookie.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/inbox_rows.hpp"
#include "service/pages/findings/regression_rows.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t most_at_once = 200;
constexpr std::string_view row_prefix = "regression-";

/// What a person may do with several at once, each by the route of the API.
struct InboxAnswer {
    std::string_view name;
    std::string_view label;
    std::string_view pattern;
    std::string_view state;  ///< of a change of state
    std::set<std::string> fields;
};

const std::vector<InboxAnswer>& inbox_answers() {
    static constexpr std::string_view state = "/api/v1/regressions/{id}/state";
    static const std::vector<InboxAnswer> all{
        {"acknowledge", "Acknowledge", state, "acknowledged", {"reason"}},
        {"accept", "Accept", state, "accepted", {"reason"}},
        {"refute", "Refute", state, "refuted", {"reason"}},
        {"assign", "Assign", "/api/v1/regressions/{id}/assign", "", {"to", "reason"}},
        {"mute", "Mute", "/api/v1/regressions/{id}/mute", "", {"until", "reason"}}};
    return all;
}

/// The filters of the API among those of the page.
std::map<std::string, std::string> requested_of(const http::Request& request) {
    auto asked = given_filters(request);
    asked.erase("first");
    asked.emplace("state", "open");
    return asked;
}

InboxOrder order_of(const http::Request& request) {
    const auto given = request.query.find("first");
    if (given == request.query.end() || given->second.empty()) return InboxOrder::due;
    const auto order = find_enum<InboxOrder>(given->second);
    if (order) return *order;
    throw Error(
        Errc::invalid_argument,
        "query parameter first: there is no order \"" + given->second +
            "\"; there are due, age, size");
}

/// Those that wait, with when each has to be answered.
std::vector<InboxRow> with_due(
    const Asker& asker, const std::vector<ListedRegression>& regressions) {
    std::map<std::int64_t, std::int64_t> ends;
    for (const auto& mute : asker.rows<ListedMute>({{"state", "active"}, {"limit", "500"}})) {
        if (mute.regression) ends[*mute.regression] = mute.until_s;
    }
    const auto& projects = asker.context.config.projects;
    std::vector<InboxRow> rows;
    for (const auto& one : regressions) {
        const auto project = projects.find(one.project);
        const auto due_s = project == projects.end() ? 0 : project->second.answer_due_s;
        const auto end = ends.find(one.id);
        const auto muted = end == ends.end() ? std::nullopt : std::optional(end->second);
        rows.push_back({one, due_at_s(one, due_s, muted)});
    }
    return rows;
}

json due_view(const InboxRow& row, const HandlerContext& context) {
    if (!row.due_at_s) return nullptr;
    const bool late = !row.muted && row.is_late(context.now_s);
    return {
        {"word",
         row.muted ? "muted until"
         : late    ? "was due"
                   : "due"},
        {"late", late},
        {"at", time_view(row.due_at_s, context.now_s)}};
}

json inbox_rows(
    const std::vector<InboxRow>& waiting, const HandlerContext& context, bool may_answer) {
    auto rows = json::array();
    for (const auto& one : waiting) {
        auto row = regression_row(one, context);
        row["nobody"] = !one.assigned;
        row["due"] = due_view(one, context);
        row["issue"] = one.links.issue ? json{{"href", *one.links.issue}} : json();
        row["box"] = nullptr;
        if (may_answer) row["box"] = {{"name", std::string(row_prefix) + std::to_string(one.id)}};
        rows.push_back(std::move(row));
    }
    return rows;
}

json inbox_form(const http::Request& request) {
    const auto key = form_key(request.headers);
    if (key.empty() || !request.caller || !request.caller->scopes.may(Scope::triage))
        return nullptr;
    auto choices = json::array();
    for (const auto& answer : inbox_answers()) {
        choices.push_back({{"name", answer.name}, {"label", answer.label}});
    }
    return {{"key", key}, {"choice", std::move(choices)}};
}

/// The request that the API gets for one of several.
http::Request request_for(
    const http::Request& request,
    const InboxAnswer& answer,
    const std::string& id,
    const json& sent) {
    json body = json::object();
    if (!answer.state.empty()) body["state"] = answer.state;
    for (const auto& field : answer.fields) {
        const auto given = sent.find(field);
        if (given == sent.end() || !given->is_string()) continue;
        if (*given != "" || field == "to") body[field] = *given;
    }
    http::Request one;
    one.method = "POST";
    one.path = request.path;
    one.parameters = {{"id", id}};
    one.caller = request.caller;
    one.address = request.address;
    one.id = request.id;
    one.body = wire::write_json(body);
    return one;
}

std::vector<std::string> ids_in(const json& sent) {
    std::vector<std::string> ids;
    for (const auto& [name, value] : sent.items()) {
        if (name.starts_with(row_prefix)) ids.push_back(name.substr(row_prefix.size()));
    }
    return ids;
}

}  // namespace

http::Response get_inbox_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto asked = requested_of(request);
    if (wants_data(request)) {
        auto data = request;
        data.query = asked;
        return data_response(ListedRegression::list, data, db, context);
    }
    auto query = asked;
    query["limit"] = std::to_string(most_at_once);
    const Asker asker{request, db, context};
    const auto list = asker.page<ListedRegression>(query);
    const auto items = in_order(with_due(asker, list.rows), order_of(request));
    const auto form = inbox_form(request);
    const auto given = given_filters(request);
    json view = {
        {"title", inbox_title(items, context.now_s)},
        {"filter_form",
         filter_form(
             {choice_field("first", "First by", {"age", "size"}, given, "due date"),
              choice_field("project", "Project", names_in(context.config.projects), given),
              text_field("assigned", "Assigned to", given),
              text_field("author", "Author", given)})},
        {"none", items.empty()},
        {"waiting", nullptr},
        {"more", !list.next_cursor.empty()}};
    if (!items.empty()) {
        view["waiting"] = {
            {"form", form}, {"regression", inbox_rows(items, context, !form.is_null())}};
        if (form.is_null()) view["may_not_answer"] = true;
    }
    return page_response(request, "inbox.html", std::move(view), Shows::list);
}

http::Response post_inbox_answers(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto sent = wire::parse_json(request.body, "the form");
    const auto wanted = sent.value("answer", "");
    const auto& all = inbox_answers();
    const auto answer = std::ranges::find(all, wanted, &InboxAnswer::name);
    if (answer == all.end()) throw Error(Errc::invalid_argument, "choose what to answer");
    const auto ids = ids_in(sent);
    if (ids.empty()) throw Error(Errc::invalid_argument, "choose at least one regression");
    if (ids.size() > most_at_once) {
        throw Error(Errc::invalid_argument, "at most 200 regressions are answered at once");
    }
    // All or none: what the API refuses of one is thrown, and ends the transaction.
    for (const auto& id : ids) {
        const auto one = request_for(request, *answer, id, sent);
        change_by_api(answer->pattern, one, db, context);
    }
    return see_other("/inbox");
}

}  // namespace vigil::service
