#include <nlohmann/json.hpp>

#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/fleet/queue.hpp"
#include "service/api/results/night_summary.hpp"
#include "service/api/rows/results.hpp"
#include "service/pages/common/api_change.hpp"
#include "service/pages/common/cookie.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/fleet/machine_words.hpp"
#include "service/pages/night_words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t most_with_events = 40;
constexpr const char* most_nights = "10";  // under way, of each state

json rows_view(const char* name, json rows) {
    if (rows.empty()) return nullptr;
    return {{name, std::move(rows)}};
}

json fact_rows(const std::optional<FactTexts>& facts) {
    auto rows = json::array();
    if (!facts) return rows;
    for (const auto& [name, value] : *facts) {
        if (value.text.empty()) continue;
        rows.push_back({{"name", name_words(name)}, {"value", name_words(value.text)}});
    }
    return rows;
}

json worker_events(const Asker& asker, std::int64_t id) {
    auto rows = json::array();
    for (const auto& one :
         asker.rows<ListedEvent>({{"subject", "worker/" + std::to_string(id)}, {"limit", "10"}})) {
        rows.push_back(
            {{"at", time_view(one.at_s, asker.context.now_s)},
             {"message", name_words(one.words())}});
    }
    return rows;
}

json worker_details(const Asker& asker, const ListedWorker& worker) {
    const auto now_s = asker.context.now_s;
    const auto canaries = asker.rows<ListedCanary>({{"worker", worker.name}, {"limit", "30"}});
    const auto environments =
        asker.rows<ListedEnvironment>({{"worker", worker.name}, {"limit", "10"}});
    json view = {
        {"canaries", canary_view(canaries, now_s)},
        {"no_canaries", canaries.empty()},
        {"environments", rows_view("rows", environment_rows(environments, now_s))},
        {"same", nullptr},
        {"facts", rows_view("rows", fact_rows(worker.fingerprint))},
        {"layers", rows_view("rows", fact_rows(worker.containment))},
        {"events", rows_view("rows", worker_events(asker, worker.id))},
        {"hold", nullptr},
        {"release", nullptr}};
    if (view.at("canaries").is_object()) view["canaries"]["worker"] = name_words(worker.name);
    if (view.at("environments").is_null() && !environments.empty()) {
        view["same"] = {{"since", time_view(environments.front().at_s, now_s)}};
    }
    return view;
}

json worker_rows(
    const Asker& asker, const std::vector<ListedWorker>& workers, const std::string& key) {
    auto rows = json::array();
    for (const auto& one : workers) {
        json row = {
            {"name", name_words(one.name)},
            {"machine_class", name_words(one.machine_class)},
            {"state", state_view(one.is_silent() ? "silent" : one.state)},
            {"reason", name_words(one.reason)},
            {"seen", time_view(one.last_seen_at_s, asker.context.now_s)},
            {"job", one.job ? std::to_string(*one.job) : ""},
            {"more", nullptr}};
        if (rows.size() < most_with_events) {
            row["more"] = worker_details(asker, one);
            if (!key.empty()) {
                const char* form = one.is_held() ? "release" : "hold";
                row["more"][form] = {{"key", key}, {"full_name", one.name}};
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Machines of a cluster that were requested and have not been given back.
json allocation_rows(const Asker& asker) {
    auto rows = json::array();
    for (const auto& one : asker.rows<ListedAllocation>({{"limit", "50"}})) {
        if (one.state == "ended") continue;
        rows.push_back(
            {{"machine_class", name_words(one.machine_class)},
             {"name", name_words(one.name)},
             {"state", state_view(one.state)},
             {"machine", name_words(one.machine)},
             {"requested", time_view(one.created_at_s, asker.context.now_s)},
             {"reason", name_words(one.reason)}});
    }
    return rows;
}

json lease_rows(const Asker& asker) {
    auto rows = json::array();
    for (const auto& one : asker.rows<ListedJob>({{"state", "leased"}, {"limit", "200"}})) {
        rows.push_back(
            {{"id", one.id},
             {"project", name_words(one.project)},
             {"purpose", one.purpose},
             {"worker", name_words(one.worker)},
             {"lease", time_view(one.lease_expires_at_s, asker.context.now_s)},
             {"message", name_words(one.progress)}});
    }
    return rows;
}

json queue_rows(const Asker& asker) {
    auto rows = json::array();
    for (const auto& one : load_queue(asker.db, asker.context)) {
        rows.push_back(
            {{"state", state_view(to_string(one.state))},
             {"jobs", one.jobs},
             {"purpose", to_string(one.purpose)},
             {"project", name_words(one.project)},
             {"machine_class", name_words(one.machine_class)},
             {"oldest", time_view(one.oldest_at_s, asker.context.now_s)},
             {"why", shown_text(one.message, 500)}});
    }
    return rows;
}

std::vector<NightlyId> nights_under_way(const Asker& asker) {
    std::vector<NightlyId> nights;
    for (const auto& [state, name] : enum_names<NightlyState>) {
        if (is_over(state)) continue;
        for (const auto& night :
             asker.rows<ListedNightly>({{"state", std::string(name)}, {"limit", most_nights}})) {
            nights.push_back(night.id);
        }
    }
    return nights;
}

json night_rows(const Asker& asker, const std::vector<NightlyId>& nights) {
    auto rows = json::array();
    for (const auto night : nights) {
        const auto summary = load_night_summary(asker.db, asker.context, night);
        rows.push_back(night_budget(summary, asker.context.now_s));
    }
    return rows;
}

/// The parked jobs of these nights that nobody had tried again; what other parked jobs were part
/// of has gone on without them.
std::vector<ListedJob> parked_jobs(const Asker& asker, const std::vector<NightlyId>& nights) {
    std::vector<ListedJob> parked;
    for (const auto night : nights) {
        for (auto& job : asker.rows<ListedJob>(
                 {{"state", "parked"}, {"nightly", to_string(night)}, {"limit", "50"}})) {
            const auto retried = asker.rows<ListedEvent>(
                {{"subject", "job/" + std::to_string(job.id)},
                 {"kind", "job.retried"},
                 {"limit", "1"}});
            if (retried.empty()) parked.push_back(std::move(job));
        }
    }
    return parked;
}

json message_rows(const std::vector<ListedMessage>& messages, std::int64_t now_s) {
    auto rows = json::array();
    for (const auto& one : messages) {
        rows.push_back(
            {{"id", one.id},
             {"title", name_words(one.title)},
             {"target", name_words(one.target)},
             {"state", state_view(one.state)},
             {"attempts", one.attempts},
             {"next", time_view(one.next_attempt_at_s, now_s)},
             {"message", name_words(one.message)}});
    }
    return rows;
}

json delivery_rows(const Asker& asker) {
    auto rows = json::array();
    for (const auto& one : asker.rows<ListedDelivery>({{"limit", "10"}})) {
        rows.push_back(
            {{"event", name_words(one.event)},
             {"state", state_view(one.state)},
             {"message", name_words(one.message)},
             {"at", time_view(one.received_at_s, asker.context.now_s)}});
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
    if (wants_data(request)) return data_response(ListedWorker::list, request, db, context);
    const Asker asker{request, db, context};
    const auto nights = nights_under_way(asker);
    const Asker::Texts given_up{{"state", "dead"}, {"given_up", "true"}, {"limit", "50"}};
    const StuckThings things{
        asker.rows<ListedTrouble>({{"state", "open"}, {"limit", "50"}}),
        asker.rows<ListedWorker>({{"limit", "500"}}),
        parked_jobs(asker, nights),
        asker.rows<ListedMessage>(given_up),
        asker.rows<ListedNotice>(given_up)};
    auto stuck = stuck_rows(things, context.now_s);
    for (auto& row : stuck) {
        auto& again = row.at("again");
        if (again.is_null()) continue;
        const auto scope = parse_enum<Scope>(again.at("scope").get<std::string>());
        again["key"] = key_of(request, scope);
        if (again.at("key") == "") again = nullptr;
    }
    auto queue = queue_rows(asker);
    const auto pending = asker.rows<ListedMessage>({{"state", "pending"}, {"limit", "50"}});
    const auto title = stuck_title(stuck, things.workers.size());
    json view = {
        {"title", title},
        {"stuck", rows_view("rows", std::move(stuck))},
        {"workers", worker_rows(asker, things.workers, key_of(request))},
        {"allocations", rows_view("rows", allocation_rows(asker))},
        {"no_workers", things.workers.empty()},
        {"has_cluster", context.config.fleet.has_value()},
        {"idle", queue.empty()},
        {"under_way", rows_view("nights", night_rows(asker, nights))},
        {"leases", rows_view("jobs", lease_rows(asker))},
        {"outbox", rows_view("messages", message_rows(pending, context.now_s))},
        {"nothing_waits", pending.empty()},
        {"deliveries", rows_view("rows", delivery_rows(asker))}};
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
