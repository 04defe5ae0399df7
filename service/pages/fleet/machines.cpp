#include <map>

#include <nlohmann/json.hpp>

#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/api_change.hpp"
#include "service/pages/common/cookie.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/fleet/machine_words.hpp"
#include "service/pages/night_words.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr Handler list_workers = list_of<lists::workers, add_unseen>;
constexpr Handler list_jobs = list_of<lists::jobs, tell_time_of_day>;
constexpr Handler list_outbox = list_of<lists::outbox, tell_next_attempt>;
constexpr Handler list_notices = list_of<lists::notices, tell_next_attempt>;
constexpr std::size_t most_with_events = 40;
constexpr const char* most_nights = "10";  // under way, of each state

/// What one page of machines asks of the API.
struct Floor {
    const http::Request& request;
    Database& db;
    const HandlerContext& context;

    json items(Handler handler, const std::map<std::string, std::string>& query) const {
        return read_api(handler, request, db, context, query, {}).at("items");
    }
};

json rows_view(const char* name, json rows) {
    if (rows.empty()) return nullptr;
    return {{name, std::move(rows)}};
}

json fact_rows(const json& facts) {
    auto rows = json::array();
    if (!facts.is_object()) return rows;
    for (const auto& [name, value] : facts.items()) {
        if (value.is_null() || value == "") continue;
        rows.push_back(
            {{"name", name_words(name)},
             {"value", name_words(value.is_string() ? value : json(value.dump()))}});
    }
    return rows;
}

json worker_events(const Floor& floor, const json& id) {
    auto rows = json::array();
    const std::map<std::string, std::string> query{
        {"subject", "worker/" + id.dump()}, {"limit", "10"}};
    for (const auto& one : floor.items(list_of<lists::events>, query)) {
        const auto& message = one.at("message");
        rows.push_back(
            {{"at", time_view(one.at("at_s"), floor.context.now_s)},
             {"message", name_words(message == "" ? one.at("kind") : message)}});
    }
    return rows;
}

json worker_details(const Floor& floor, const json& worker) {
    const auto now_s = floor.context.now_s;
    const auto name = worker.at("name").get<std::string>();
    const auto canaries =
        floor.items(list_of<lists::canaries>, {{"worker", name}, {"limit", "30"}});
    const auto environments = floor.items(
        list_of<lists::environments, tell_changed>, {{"worker", name}, {"limit", "10"}});
    json view = {
        {"canaries", canary_view(canaries, now_s)},
        {"no_canaries", canaries.empty()},
        {"environments", rows_view("rows", environment_rows(environments, now_s))},
        {"same", nullptr},
        {"facts", rows_view("rows", fact_rows(worker.at("fingerprint")))},
        {"layers", rows_view("rows", fact_rows(worker.at("containment")))},
        {"events", rows_view("rows", worker_events(floor, worker.at("id")))},
        {"hold", nullptr},
        {"release", nullptr}};
    if (view.at("canaries").is_object()) view["canaries"]["worker"] = name_words(name);
    if (view.at("environments").is_null() && !environments.empty()) {
        view["same"] = {{"since", time_view(environments.at(0).at("at_s"), now_s)}};
    }
    return view;
}

json worker_rows(const Floor& floor, const json& workers, const std::string& key) {
    const auto now_s = floor.context.now_s;
    auto rows = json::array();
    for (const auto& one : workers) {
        const auto state = one.at("state").get<std::string>();
        const bool is_silent = state != "quarantined" && one.at("unseen_s").is_number();
        const auto name = one.at("name").get<std::string>();
        json row = {
            {"name", name_words(one.at("name"))},
            {"machine_class", name_words(one.at("machine_class"))},
            {"state", state_view(is_silent ? "silent" : state)},
            {"reason", name_words(one.at("reason"))},
            {"seen", time_view(one.at("last_seen_at_s"), now_s)},
            {"job", one.at("job").is_null() ? "" : one.at("job").dump()},
            {"more", nullptr}};
        if (rows.size() < most_with_events) {
            row["more"] = worker_details(floor, one);
            if (!key.empty()) {
                const char* form = state == "quarantined" ? "release" : "hold";
                row["more"][form] = {{"key", key}, {"full_name", name}};
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

json lease_rows(const Floor& floor) {
    auto rows = json::array();
    for (const auto& one : floor.items(list_jobs, {{"state", "leased"}, {"limit", "200"}})) {
        rows.push_back(
            {{"id", one.at("id")},
             {"project", name_words(one.at("project"))},
             {"purpose", one.at("purpose")},
             {"worker", name_words(one.at("worker"))},
             {"lease", time_view(one.at("lease_expires_at_s"), floor.context.now_s)},
             {"message", name_words(one.at("progress"))}});
    }
    return rows;
}

json queue_rows(const Floor& floor) {
    auto rows = json::array();
    for (const auto& one : floor.items(get_queue, {})) {
        rows.push_back(
            {{"state", state_view(one.at("state").get<std::string>())},
             {"jobs", one.at("jobs")},
             {"purpose", one.at("purpose")},
             {"project", name_words(one.at("project"))},
             {"machine_class", name_words(one.at("machine_class"))},
             {"oldest", time_view(one.at("oldest_at_s"), floor.context.now_s)},
             {"why", shown_text(one.at("why").get<std::string>(), 500)}});
    }
    return rows;
}

json nights_under_way(const Floor& floor) {
    auto nights = json::array();
    for (const auto& [state, name] : enum_names<NightlyState>) {
        if (is_over(state)) continue;
        const std::map<std::string, std::string> query{
            {"state", std::string(name)}, {"limit", most_nights}};
        for (auto& night : floor.items(list_of<lists::nightlies>, query)) {
            nights.push_back(std::move(night));
        }
    }
    return nights;
}

json night_rows(const Floor& floor, const json& nights) {
    auto rows = json::array();
    for (const auto& night : nights) {
        const auto summary = read_api(
            get_night_summary,
            floor.request,
            floor.db,
            floor.context,
            {},
            {{"id", night.at("id").dump()}});
        rows.push_back(night_budget(summary, floor.context.now_s));
    }
    return rows;
}

/// The parked jobs of these nights that nobody had tried again; what other parked jobs were part
/// of has gone on without them.
json parked_jobs(const Floor& floor, const json& nights) {
    auto parked = json::array();
    for (const auto& night : nights) {
        const std::map<std::string, std::string> query{
            {"state", "parked"}, {"nightly", night.at("id").dump()}, {"limit", "50"}};
        for (auto& job : floor.items(list_jobs, query)) {
            const std::map<std::string, std::string> retried{
                {"subject", "job/" + job.at("id").dump()}, {"kind", "job.retried"}, {"limit", "1"}};
            if (!floor.items(list_of<lists::events>, retried).empty()) continue;
            parked.push_back(std::move(job));
        }
    }
    return parked;
}

json message_rows(const Floor& floor, const json& messages) {
    auto rows = json::array();
    for (const auto& one : messages) {
        rows.push_back(
            {{"id", one.at("id")},
             {"title", name_words(one.at("title"))},
             {"target", name_words(one.at("target"))},
             {"state", state_view(one.at("state").get<std::string>())},
             {"attempts", one.at("attempts")},
             {"next", time_view(one.at("next_attempt_at_s"), floor.context.now_s)},
             {"message", name_words(one.at("message"))}});
    }
    return rows;
}

json delivery_rows(const Floor& floor) {
    auto rows = json::array();
    for (const auto& one : floor.items(list_of<lists::deliveries>, {{"limit", "10"}})) {
        rows.push_back(
            {{"event", name_words(one.at("event"))},
             {"state", state_view(one.at("state").get<std::string>())},
             {"message", name_words(one.at("message"))},
             {"at", time_view(one.at("received_at_s"), floor.context.now_s)}});
    }
    return rows;
}

/// The key of the forms, where the reader may send them.
std::string key_of(const http::Request& request, Scope scope = Scope::triage) {
    if (!request.caller || !request.caller->scopes.may(scope)) return "";
    return form_key(request.headers);
}

}  // namespace

http::Response get_machines_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(list_workers, request, db, context);
    const Floor floor{request, db, context};
    const auto key = key_of(request);
    const auto workers = floor.items(list_workers, {{"limit", "500"}});
    const auto nights = nights_under_way(floor);
    const auto parked = parked_jobs(floor, nights);
    const std::map<std::string, std::string> given_up{
        {"state", "dead"}, {"given_up", "true"}, {"limit", "50"}};
    const auto messages = floor.items(list_outbox, given_up);
    const auto notices = floor.items(list_notices, given_up);
    const auto troubles =
        floor.items(list_of<lists::troubles>, {{"state", "open"}, {"limit", "50"}});
    auto stuck = stuck_rows({troubles, workers, parked, messages, notices}, context.now_s);
    for (auto& row : stuck) {
        auto& again = row.at("again");
        if (again.is_null()) continue;
        const auto scope = parse_enum<Scope>(again.at("scope").get<std::string>());
        again["key"] = key_of(request, scope);
        if (again.at("key") == "") again = nullptr;
    }
    auto queue = queue_rows(floor);
    const auto pending = floor.items(list_outbox, {{"state", "pending"}, {"limit", "50"}});
    const auto title = stuck_title(stuck, workers.size());
    json view = {
        {"title", title},
        {"stuck", rows_view("rows", std::move(stuck))},
        {"workers", worker_rows(floor, workers, key)},
        {"no_workers", workers.empty()},
        {"idle", queue.empty()},
        {"under_way", rows_view("nights", night_rows(floor, nights))},
        {"leases", rows_view("jobs", lease_rows(floor))},
        {"outbox", rows_view("messages", message_rows(floor, pending))},
        {"nothing_waits", pending.empty()},
        {"deliveries", rows_view("rows", delivery_rows(floor))}};
    view["queue"] = rows_view("groups", std::move(queue));
    return page_response(request, "machines.html", std::move(view), Shows::list);
}

// The forms go back to the page, for what they change has none of its own.

namespace {

http::Response back_to_machines(
    std::string_view pattern,
    const http::Request& request,
    Database& db,
    const HandlerContext& context) {
    change_by_api(pattern, request, db, context);
    return see_other("/machines");
}

}  // namespace

http::Response post_outbox_retry_form(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return back_to_machines("/api/v1/outbox/{id}/retry", request, db, context);
}

http::Response post_notice_retry_form(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return back_to_machines("/api/v1/notices/{id}/retry", request, db, context);
}

http::Response post_job_retry_form(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return back_to_machines("/api/v1/jobs/{id}/retry", request, db, context);
}

http::Response post_worker_quarantine_form(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return back_to_machines("/api/v1/workers/{name}/quarantine", request, db, context);
}

http::Response post_worker_release_form(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return back_to_machines("/api/v1/workers/{name}/release", request, db, context);
}

}  // namespace vigil::service
