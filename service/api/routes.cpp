#include <array>

#include "service/api/audit.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/api/common/tags.hpp"
#include "service/api/fleet/worker_protocol.hpp"
#include "service/api/route.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

constexpr Route get(
    std::string_view pattern,
    Handler handler,
    Access access = Access::read,
    WorkPlace place = WorkPlace::reader) {
    return {"GET", pattern, access, place, handler};
}

/// Reads over many rows.
constexpr Route get_long(std::string_view pattern, Handler handler) {
    return get(pattern, handler, Access::read, WorkPlace::long_reader);
}

constexpr Route change(
    std::string_view method,
    std::string_view pattern,
    Access access,
    Handler handler,
    BodyRule body,
    Wakes wakes = Wakes::nobody) {
    return {method, pattern, access, WorkPlace::writer, handler, body, wakes};
}

/// What may make work.
constexpr Route post(
    std::string_view pattern,
    Handler handler,
    Access access,
    BodyRule body = BodyRule::optional_json) {
    return change("POST", pattern, access, handler, body, Wakes::tick);
}

/// The same route, and what the daemon changes there by itself.
constexpr Route but(Route route, std::string_view moving) {
    route.moving = moving;
    return route;
}

constexpr std::string_view of_attempts =
    "attempts ambiguous changed_at_s message next_attempt_at_s";
constexpr std::string_view of_backfills =
    "failed found measured measuring nightlies remaining_s steps waiting";
constexpr std::string_view of_requests = "runs sessions";

/// The same route, whose If-Match names the tag of what another path shows.
constexpr Route of(Route route, std::string_view thing) {
    route.thing = thing;
    return route;
}

constexpr std::array routes{
    get("/healthz", nullptr, Access::everyone, WorkPlace::alive),
    get("/readyz", nullptr, Access::everyone, WorkPlace::ready),
    get("/metrics", nullptr, Access::read, WorkPlace::metrics),

    get("/api/v1/openapi.json", get_openapi_json, Access::everyone),
    get("/api/v1/openapi.yaml", get_openapi_yaml, Access::everyone),
    get("/api/v1/docs", get_docs, Access::everyone),

    get("/api/v1/projects", list_of<lists::projects, add_config>),
    get_long("/api/v1/projects/{name}/badge.svg", get_badge),
    of(post("/api/v1/projects/{name}/backfills", post_backfill, Access::trigger),
       "/api/v1/backfills"),
    but(get_long("/api/v1/backfills", list_of<lists::backfills, add_remaining>), of_backfills),
    but(get_long("/api/v1/backfills/{id}", one_of<lists::backfills, add_remaining>), of_backfills),
    post("/api/v1/backfills/{id}/cancel", post_backfill_cancel, Access::trigger),
    get_long("/api/v1/nightlies", list_of<lists::nightlies, add_withdrawn>),
    but(get_long("/api/v1/nightlies/{id}", get_nightly), "jobs regressions suspicions"),
    get("/api/v1/nightlies/{id}/commits", get_night_commits),
    get_long("/api/v1/nights/{id}/summary", get_night_summary),
    of(post(
           "/api/v1/nights/{id}/withdraw",
           post_night_withdraw,
           Access::administrate,
           BodyRule::json),
       "/api/v1/nightlies/{id}"),
    of(post("/api/v1/nights/{id}/restore", post_night_restore, Access::administrate),
       "/api/v1/nightlies/{id}"),
    get_long("/api/v1/builds", list_of<lists::builds>),
    get("/api/v1/builds/{id}", one_of<lists::builds>),
    get_long("/api/v1/queue", get_queue),
    get_long("/api/v1/jobs", list_of<lists::jobs, tell_time_of_day>),
    but(get("/api/v1/jobs/{id}", one_of<lists::jobs, tell_time_of_day>),
        "lease_expires_at_s progress stale_results"),
    post("/api/v1/jobs/{id}/cancel", post_job_cancel, Access::trigger),
    post("/api/v1/jobs/{id}/retry", post_job_retry, Access::trigger),
    Route{
        "POST",
        "/api/v1/jobs/{id}/answer",
        Access::ingest,
        WorkPlace::answer,
        nullptr,
        BodyRule::result,
        Wakes::tick},
    get_long("/api/v1/runs", list_of<lists::runs>),
    post("/api/v1/runs", post_run, Access::trigger, BodyRule::json),
    of(post("/api/v1/comparisons", post_comparison, Access::trigger, BodyRule::json),
       "/api/v1/requests"),
    but(get_long("/api/v1/requests", list_of<lists::requests, add_runs_of_request>), of_requests),
    but(get("/api/v1/requests/{id}", one_of<lists::requests, add_runs_of_request>), of_requests),
    post("/api/v1/requests/{id}/cancel", post_request_cancel, Access::trigger),
    get_long("/api/v1/runs/{id}", one_of<lists::runs>),
    get("/api/v1/logs/{digest}", get_log, Access::read, WorkPlace::log),
    but(get("/api/v1/workers", list_of<lists::workers, add_unseen>), "job last_seen_at_s unseen_s"),
    of(post(
           "/api/v1/workers/{name}/quarantine",
           post_worker_quarantine,
           Access::triage,
           BodyRule::json),
       "/api/v1/workers"),
    of(post("/api/v1/workers/{name}/release", post_worker_release, Access::triage),
       "/api/v1/workers"),
    Route{
        "POST",
        "/api/v1/results",
        Access::ingest,
        WorkPlace::sent_results,
        nullptr,
        BodyRule::harness,
        Wakes::tick},
    get_long("/api/v1/imports", list_of<lists::imports>),
    get_long("/api/v1/imports/{id}", one_of<lists::imports, add_undo>),
    post("/api/v1/imports/{id}/undo", post_import_undo, Access::administrate),
    get_long("/api/v1/series", list_of<lists::series>),
    but(get_long("/api/v1/series/{id}", get_series), "points"),
    get_long("/api/v1/series/{id}/nights", list_series_nights),
    get_long("/api/v1/series/{id}/nights/{nightly}", get_series_night),
    get_long("/api/v1/series/{id}/chart", get_series_chart),
    get_long("/api/v1/history", list_history),
    get_long("/api/v1/trends", get_trends),
    get_long("/api/v1/heatmap", get_heatmap),
    get_long("/api/v1/compare", get_compare),
    get_long("/api/v1/suspicions", list_of<lists::suspicions>),
    get_long("/api/v1/drifts", list_of<lists::drifts>),
    get_long("/api/v1/retention", list_of<lists::retention>),
    get_long("/api/v1/retention/content", list_of<lists::dropped>),
    get_long("/api/v1/storms", list_of<lists::storms>),
    get_long("/api/v1/troubles", list_of<lists::troubles>),
    get_long("/api/v1/doctor", get_doctor),
    get_long("/api/v1/canaries", list_of<lists::canaries>),
    get_long("/api/v1/allocations", list_of<lists::allocations>),
    get_long("/api/v1/environments", list_of<lists::environments, tell_changed>),
    get_long("/api/v1/week", get_week),
    get_long("/api/v1/hours", get_hours),
    get_long("/api/v1/precision", get_precision),
    get_long("/api/v1/precision/thresholds", get_thresholds),
    get_long("/api/v1/regressions", list_of<lists::regressions, add_worst>),
    but(get("/api/v1/regressions/{id}", get_regression), "changed_at_s links reports revert why"),
    get_long("/api/v1/regressions/{id}/levels", get_regression_levels),
    post("/api/v1/regressions/{id}/state", post_regression_state, Access::triage, BodyRule::json),
    post("/api/v1/regressions/{id}/assign", post_regression_assign, Access::triage, BodyRule::json),
    post("/api/v1/regressions/{id}/why", post_regression_why, Access::trigger),
    get("/api/v1/regressions/{id}/flame.svg", get_regression_flame),
    post("/api/v1/regressions/{id}/revert", post_regression_revert, Access::trigger),
    post("/api/v1/regressions/{id}/mute", post_regression_mute, Access::triage, BodyRule::json),
    post("/api/v1/series/{id}/mute", post_series_mute, Access::triage, BodyRule::json),
    post("/api/v1/series/{id}/missed", post_series_missed, Access::triage, BodyRule::json),
    get_long("/api/v1/missed", list_of<lists::missed>),
    get("/api/v1/missed/{id}", one_of<lists::missed>),
    change("DELETE", "/api/v1/missed/{id}", Access::triage, delete_missed, BodyRule::none),
    get_long("/api/v1/mutes", list_of<lists::mutes>),
    get("/api/v1/mutes/{id}", one_of<lists::mutes>),
    post("/api/v1/mutes/{id}/end", post_mute_end, Access::triage, BodyRule::json),
    get("/api/v1/bisections", list_of<lists::bisections>),
    but(get("/api/v1/bisections/{id}", one_of<lists::bisections>), "build probes"),
    get_long("/api/v1/bisections/{id}/standing", get_bisection_standing),
    post("/api/v1/bisections", post_bisection, Access::trigger, BodyRule::json),
    post("/api/v1/bisections/{id}/cancel", post_bisection_cancel, Access::trigger),
    get_long("/api/v1/reports", list_of<lists::reports>),
    but(get("/api/v1/reports/{id}", one_of<lists::reports>), of_attempts),
    post("/api/v1/reports/{id}/retry", post_report_retry, Access::triage),
    get_long("/api/v1/outbox", list_of<lists::outbox, tell_next_attempt>),
    but(get("/api/v1/outbox/{id}", one_of<lists::outbox, tell_next_attempt>), of_attempts),
    post("/api/v1/outbox/{id}/retry", post_outbox_retry, Access::triage),
    get_long("/api/v1/notices", list_of<lists::notices, tell_next_attempt>),
    but(get("/api/v1/notices/{id}", one_of<lists::notices, tell_next_attempt>), of_attempts),
    post("/api/v1/notices/{id}/retry", post_notice_retry, Access::triage),
    get_long("/api/v1/pulls", list_of<lists::pulls>),
    get("/api/v1/pulls/{id}", one_of<lists::pulls>),
    get_long("/api/v1/deliveries", list_of<lists::deliveries>),
    get("/api/v1/deliveries/{id}", one_of<lists::deliveries>),
    get_long("/api/v1/events", list_of<lists::events>),
    get("/api/v1/events/stream", nullptr, Access::read, WorkPlace::stream),
    post("/api/v1/triggers", post_trigger, Access::trigger, BodyRule::json),
    get_long("/api/v1/triggers", list_of<lists::triggers>),
    get("/api/v1/triggers/{id}", one_of<lists::triggers>),

    get("/api/v1/audit", list_audit, Access::administrate, WorkPlace::long_reader),
    but(get("/api/v1/tokens", list_of<lists::tokens>, Access::administrate), "used_at_s"),
    Route{
        .method = "POST",
        .pattern = "/api/v1/tokens",
        .access = Access::administrate,
        .place = WorkPlace::writer,
        .handler = post_token,
        .body = BodyRule::json,
        .reply = Reply::secret},
    change("DELETE", "/api/v1/tokens/{name}", Access::administrate, delete_token, BodyRule::none),

    Route{
        "POST", "/api/v1/worker/claim", Access::worker, WorkPlace::claim, nullptr, BodyRule::json},
    change(
        "POST",
        "/api/v1/worker/jobs/{id}/attempts/{attempt}/heartbeat",
        Access::worker,
        post_heartbeat,
        BodyRule::json),
    Route{
        "PUT",
        "/api/v1/worker/jobs/{id}/attempts/{attempt}/result",
        Access::worker,
        WorkPlace::result,
        nullptr,
        BodyRule::result,
        Wakes::tick},
    get("/api/v1/content/{digest}", nullptr, Access::transfer, WorkPlace::content_get),
    Route{
        "PUT",
        "/api/v1/content/{digest}",
        Access::transfer,
        WorkPlace::content_put,
        nullptr,
        BodyRule::file},

    Route{
        "POST",
        "/hooks/github",
        Access::everyone,
        WorkPlace::hook,
        nullptr,
        BodyRule::webhook,
        Wakes::tick},
};

}  // namespace

std::span<const Route> all_routes() {
    return routes;
}

http::Response answer_of(
    const Route& route, const http::Request& request, Database& db, const HandlerContext& context) {
    auto response = route.handler(request, db, context);
    if (!route.moving.empty()) write_tagged(response, route.moving);
    write_document(response);
    return response;
}

}  // namespace vigil::service
