#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/words.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr Handler list_workers = list_of<lists::workers, add_unseen>;

json worker_rows(const json& items, std::int64_t now_s) {
    auto rows = json::array();
    for (const auto& one : items) {
        const auto& job = one.at("job");
        rows.push_back(
            {{"name", name_words(one.at("name"))},
             {"machine_class", name_words(one.at("machine_class"))},
             {"state", state_view(one.at("state").get<std::string>())},
             {"reason", name_words(one.at("reason"))},
             {"seen", time_view(one.at("last_seen_at_s"), now_s)},
             {"job", job.is_null() ? "" : job.dump()}});
    }
    return rows;
}

/// Jobs of these states, in this order.
json job_rows(const http::Request& request, Database& db, const HandlerContext& context) {
    auto rows = json::array();
    for (const auto* state : {"leased", "queued", "parked"}) {
        const auto list = read_api(
            list_of<lists::jobs, tell_time_of_day>,
            request,
            db,
            context,
            {{"state", state}, {"limit", "50"}},
            {});
        for (const auto& one : list.at("items")) {
            rows.push_back(
                {{"id", one.at("id")},
                 {"project", name_words(one.at("project"))},
                 {"purpose", one.at("purpose")},
                 {"machine_class", name_words(one.at("machine_class"))},
                 {"state", state_view(one.at("state").get<std::string>())},
                 {"worker", name_words(one.at("worker"))},
                 {"message", name_words(one.at("message"))},
                 {"begun", time_view(one.at("created_at_s"), context.now_s)}});
        }
    }
    return rows;
}

std::string machines_title(const json& workers) {
    std::int64_t held = 0;
    for (const auto& one : workers) held += one.at("state") == "quarantined" ? 1 : 0;
    const auto all = static_cast<std::int64_t>(workers.size());
    if (all == 0) return "No worker yet";
    if (held == 0) return text::counted(all, "worker");
    return text::counted(held, "worker") + " of " + std::to_string(all) + " quarantined";
}

}  // namespace

http::Response get_machines_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(list_workers, request, db, context);
    const auto workers = read_api(list_workers, request, db, context, {{"limit", "500"}}, {});
    const auto& items = workers.at("items");
    auto jobs = job_rows(request, db, context);
    const bool is_idle = jobs.empty();
    json view = {
        {"title", machines_title(items)},
        {"workers", worker_rows(items, context.now_s)},
        {"no_workers", items.empty()},
        {"queue", nullptr},
        {"idle", is_idle}};
    if (!is_idle) view["queue"] = {{"jobs", std::move(jobs)}};
    return page_response(request, "machines.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
