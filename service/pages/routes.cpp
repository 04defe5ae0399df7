#include <array>

#include "service/api/common/handlers.hpp"
#include "service/pages/common/pages.hpp"

namespace vigil::service {

namespace {

constexpr Route page(std::string_view pattern, Handler handler, Access access = Access::read) {
    return {
        .method = "GET",
        .pattern = pattern,
        .access = access,
        .place = WorkPlace::long_reader,
        .handler = handler,
        .reply = Reply::page};
}

constexpr Route form(
    std::string_view pattern,
    Handler handler,
    Access access,
    WorkPlace place = WorkPlace::writer,
    Wakes wakes = Wakes::tick) {
    return {"POST", pattern, access, place, handler, BodyRule::form, wakes, Reply::page};
}

constexpr Route live{
    .method = "GET",
    .pattern = live_path,
    .access = Access::read,
    .place = WorkPlace::stream,
    .reply = Reply::page};

constexpr std::array routes_of_pages{
    page("/", get_tonight_page),
    page("/nightlies/{id}", get_nightly_page),
    page("/regressions", get_regressions_page),
    page("/regressions/{id}", get_regression_page),
    form("/regressions/{id}/state", post_regression_state, Access::triage),
    form("/regressions/{id}/assign", post_regression_assign, Access::triage),
    form("/regressions/{id}/mute", post_regression_mute, Access::triage),
    form("/regressions/{id}/why", post_regression_why, Access::trigger),
    form("/regressions/{id}/revert", post_regression_revert, Access::trigger),
    Route{
        .method = "GET",
        .pattern = "/regressions/{id}/flame.svg",
        .access = Access::read,
        .place = WorkPlace::long_reader,
        .handler = get_regression_flame,
        .reply = Reply::page},
    page("/inbox", get_inbox_page),
    form("/inbox/answers", post_inbox_answers, Access::triage),
    page("/bisections", get_bisections_page),
    page("/bisections/{id}", get_bisection_page),
    Route{
        .method = "GET",
        .pattern = "/logs/{digest}",
        .access = Access::read,
        .place = WorkPlace::log,
        .handler = get_log,
        .reply = Reply::page},
    page("/series", get_all_series_page),
    page("/series/{id}", get_series_page),
    form("/series/{id}/missed", post_series_missed, Access::triage),
    form("/missed/{id}/take-back", post_missed_take_back_form, Access::triage),
    page("/series/{id}/nights/{nightly}", get_series_night_page),
    page("/trends", get_trends_page),
    page("/heatmap", get_heatmap_page),
    page("/compare", get_compare_page),
    page("/requests", get_requests_page),
    page("/requests/{id}", get_request_page),
    form("/requests/comparison", post_comparison, Access::trigger),
    form("/requests/bisection", post_bisection, Access::trigger),
    page("/week", get_week_page),
    page("/trust", get_trust_page),
    page("/machines", get_machines_page),
    page("/machines/doctor", get_doctor_page),
    form("/outbox/{id}/retry", post_outbox_retry_form, Access::triage),
    form("/notices/{id}/retry", post_notice_retry_form, Access::triage),
    form("/jobs/{id}/retry", post_job_retry_form, Access::trigger),
    form("/workers/{name}/quarantine", post_worker_quarantine_form, Access::triage),
    form("/workers/{name}/release", post_worker_release_form, Access::triage),
    page("/login", get_sign_in_page, Access::everyone),
    form("/login", post_sign_in, Access::everyone, WorkPlace::sign_in, Wakes::nobody),
    form("/logout", post_sign_out, Access::everyone, WorkPlace::reader, Wakes::nobody),
    live,
    page("/assets/{name}", get_asset, Access::everyone),
    page("/docs", get_docs_start, Access::everyone),
    page("/docs/{file}", get_docs_file, Access::everyone),
    page("/docs/{folder}/{file}", get_docs_file, Access::everyone),
};

}  // namespace

std::span<const Route> page_routes() {
    return routes_of_pages;
}

}  // namespace vigil::service
