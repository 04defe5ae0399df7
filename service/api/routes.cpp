#include <array>

#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
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

constexpr Route change(
    std::string_view method,
    std::string_view pattern,
    Access access,
    Handler handler,
    BodyRule body,
    Wakes wakes = Wakes::nobody) {
    return {method, pattern, access, WorkPlace::writer, handler, body, wakes};
}

constexpr std::array routes{
    get("/healthz", nullptr, Access::everyone, WorkPlace::alive),
    get("/readyz", nullptr, Access::everyone, WorkPlace::ready),
    get("/metrics", nullptr, Access::read, WorkPlace::metrics),

    get("/api/v1/projects", list_projects),
    get("/api/v1/nightlies", list_nightlies, Access::read, WorkPlace::long_reader),
    get("/api/v1/nightlies/{id}", get_nightly, Access::read, WorkPlace::long_reader),
    get("/api/v1/nights/{id}/summary", get_night_summary, Access::read, WorkPlace::long_reader),
    change(
        "POST",
        "/api/v1/nights/{id}/withdraw",
        Access::administrate,
        post_night_withdraw,
        BodyRule::json,
        Wakes::tick),
    change(
        "POST",
        "/api/v1/nights/{id}/restore",
        Access::administrate,
        post_night_restore,
        BodyRule::optional_json,
        Wakes::tick),
    get("/api/v1/builds", list_of<lists::builds>, Access::read, WorkPlace::long_reader),
    get("/api/v1/builds/{id}", one_of<lists::builds>),
    get("/api/v1/jobs", list_jobs, Access::read, WorkPlace::long_reader),
    get("/api/v1/jobs/{id}", get_job),
    change(
        "POST",
        "/api/v1/jobs/{id}/cancel",
        Access::write,
        post_job_cancel,
        BodyRule::optional_json,
        Wakes::tick),
    get("/api/v1/runs", list_of<lists::runs>, Access::read, WorkPlace::long_reader),
    get("/api/v1/runs/{id}", one_of<lists::runs>, Access::read, WorkPlace::long_reader),
    get("/api/v1/logs/{digest}", get_log, Access::read, WorkPlace::log),
    get("/api/v1/workers", list_workers_route),
    change(
        "POST",
        "/api/v1/workers/{name}/release",
        Access::write,
        post_worker_release,
        BodyRule::optional_json,
        Wakes::tick),
    get("/api/v1/series", list_of<lists::series>, Access::read, WorkPlace::long_reader),
    get("/api/v1/series/{id}", get_series, Access::read, WorkPlace::long_reader),
    get("/api/v1/history", list_history, Access::read, WorkPlace::long_reader),
    get("/api/v1/suspicions", list_of<lists::suspicions>, Access::read, WorkPlace::long_reader),
    get("/api/v1/drifts", list_of<lists::drifts>, Access::read, WorkPlace::long_reader),
    get("/api/v1/storms", list_of<lists::storms>, Access::read, WorkPlace::long_reader),
    get("/api/v1/troubles", list_of<lists::troubles>, Access::read, WorkPlace::long_reader),
    get("/api/v1/canaries", list_of<lists::canaries>, Access::read, WorkPlace::long_reader),
    get("/api/v1/precision", get_precision, Access::read, WorkPlace::long_reader),
    get("/api/v1/regressions", list_regressions, Access::read, WorkPlace::long_reader),
    get("/api/v1/regressions/{id}", get_regression),
    change(
        "POST",
        "/api/v1/regressions/{id}/state",
        Access::write,
        post_regression_state,
        BodyRule::json,
        Wakes::tick),
    get("/api/v1/bisections", list_of<lists::bisections>),
    get("/api/v1/bisections/{id}", one_of<lists::bisections>),
    get("/api/v1/reports", list_of<lists::reports>, Access::read, WorkPlace::long_reader),
    get("/api/v1/reports/{id}", one_of<lists::reports>),
    change(
        "POST",
        "/api/v1/reports/{id}/retry",
        Access::write,
        post_report_retry,
        BodyRule::optional_json,
        Wakes::tick),
    get("/api/v1/events", list_of<lists::events>, Access::read, WorkPlace::long_reader),
    change("POST", "/api/v1/triggers", Access::write, post_trigger, BodyRule::json, Wakes::tick),
    get("/api/v1/triggers/{id}", one_of<lists::triggers>),

    get("/api/v1/tokens", list_of<lists::tokens>, Access::administrate),
    change("POST", "/api/v1/tokens", Access::administrate, post_token, BodyRule::json),
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

}  // namespace vigil::service
