#include <map>

#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/api_change.hpp"
#include "service/pages/common/cookie.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/fleet/machine_words.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr Handler list_workers = list_of<lists::workers, add_unseen>;
constexpr Handler list_jobs = list_of<lists::jobs, tell_time_of_day>;
constexpr Handler list_outbox = list_of<lists::outbox, tell_next_attempt>;
constexpr std::size_t most_with_events = 40;

/// What one page of machines asks of the API.
struct Floor {
    const http::Request& request;
    Database& db;
    const HandlerContext& context;

    json items(Handler handler, const std::map<std::string, std::string>& query) const {
        return read_api(handler, request, db, context, query, {}).at("items");
    }
};

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
            const auto canaries =
                floor.items(list_of<lists::canaries>, {{"worker", name}, {"limit", "30"}});
            row["more"] = {
                {"canaries", canary_view(canaries, now_s)},
                {"facts", fact_rows(one.at("fingerprint"))},
                {"layers", fact_rows(one.at("containment"))},
                {"events", worker_events(floor, one.at("id"))},
                {"hold", nullptr},
                {"release", nullptr}};
            if (!key.empty()) {
                const char* form = state == "quarantined" ? "release" : "hold";
                row["more"][form] = {{"key", key}, {"full_name", name}};
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

json job_row(const json& one, std::int64_t now_s) {
    const auto& expires = one.at("lease_expires_at_s");
    const auto& progress = one.at("progress");
    return {
        {"id", one.at("id")},
        {"project", name_words(one.at("project"))},
        {"purpose", one.at("purpose")},
        {"machine_class", name_words(one.at("machine_class"))},
        {"state", state_view(one.at("state").get<std::string>())},
        {"worker", name_words(one.at("worker"))},
        {"lease", time_view(expires, now_s)},
        {"message", name_words(one.at("message") == "" ? progress : one.at("message"))},
        {"begun", time_view(one.at("created_at_s"), now_s)}};
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
std::string key_of(const http::Request& request) {
    if (!request.caller || !request.caller->scopes.may(Scope::triage)) return "";
    return form_key(request.headers);
}

json rows_view(const char* name, json rows) {
    if (rows.empty()) return nullptr;
    return {{name, std::move(rows)}};
}

}  // namespace

http::Response get_machines_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(list_workers, request, db, context);
    const Floor floor{request, db, context};
    const auto key = key_of(request);
    const auto workers = floor.items(list_workers, {{"limit", "500"}});
    const auto parked = floor.items(list_jobs, {{"state", "parked"}, {"limit", "50"}});
    const auto dead = floor.items(list_outbox, {{"state", "dead"}, {"limit", "50"}});
    auto stuck = stuck_rows(workers, parked, dead, context.now_s);
    for (auto& row : stuck) {
        if (key.empty()) row["again"] = nullptr;
        if (row.at("again").is_object()) row["again"]["key"] = key;
    }
    auto jobs = json::array();
    for (const auto* state : {"leased", "queued"}) {
        for (const auto& one : floor.items(list_jobs, {{"state", state}, {"limit", "50"}})) {
            jobs.push_back(job_row(one, context.now_s));
        }
    }
    const auto pending = floor.items(list_outbox, {{"state", "pending"}, {"limit", "50"}});
    const auto title = stuck_title(stuck, workers.size());
    json view = {
        {"title", title},
        {"stuck", rows_view("rows", std::move(stuck))},
        {"workers", worker_rows(floor, workers, key)},
        {"no_workers", workers.empty()},
        {"idle", jobs.empty()},
        {"outbox", rows_view("messages", message_rows(floor, pending))},
        {"nothing_waits", pending.empty()},
        {"deliveries", rows_view("rows", delivery_rows(floor))}};
    view["queue"] = rows_view("jobs", std::move(jobs));
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

http::Response post_worker_quarantine_form(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return back_to_machines("/api/v1/workers/{name}/quarantine", request, db, context);
}

http::Response post_worker_release_form(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return back_to_machines("/api/v1/workers/{name}/release", request, db, context);
}

}  // namespace vigil::service
