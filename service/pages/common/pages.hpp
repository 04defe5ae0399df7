#pragma once

#include <span>
#include <string_view>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"
#include "service/api/route.hpp"

// The pages: routes beside those of the API, whose handlers give them all that they show. They have
// the form of Handler (route.hpp).

namespace vigil::service {

/// Pages, their forms and their assets. A form has the handler of the API: it comes as a request
/// of the API does, with the same scope and row of the audit log (see form.hpp).
std::span<const Route> page_routes();

/// The events of the API as a stream for pages, whose cookie counts here.
constexpr std::string_view live_path = "/live";

// tonight.cpp
http::Response get_tonight_page(const http::Request&, Database&, const HandlerContext&);

// nightlies.cpp
http::Response get_nightly_page(const http::Request&, Database&, const HandlerContext&);

// regressions.cpp
http::Response get_regressions_page(const http::Request&, Database&, const HandlerContext&);

// regression.cpp
http::Response get_regression_page(const http::Request&, Database&, const HandlerContext&);

// inbox.cpp
http::Response get_inbox_page(const http::Request&, Database&, const HandlerContext&);
/// Answers several regressions as the API answers each, all or none.
http::Response post_inbox_answers(const http::Request&, Database&, const HandlerContext&);

// week.cpp
http::Response get_week_page(const http::Request&, Database&, const HandlerContext&);

// trust.cpp
http::Response get_trust_page(const http::Request&, Database&, const HandlerContext&);

// bisections.cpp
http::Response get_bisections_page(const http::Request&, Database&, const HandlerContext&);
http::Response get_bisection_page(const http::Request&, Database&, const HandlerContext&);

// series.cpp
http::Response get_all_series_page(const http::Request&, Database&, const HandlerContext&);
http::Response get_series_page(const http::Request&, Database&, const HandlerContext&);

// series_night.cpp
http::Response get_series_night_page(const http::Request&, Database&, const HandlerContext&);

// trends.cpp, heatmap.cpp, compare.cpp
http::Response get_trends_page(const http::Request&, Database&, const HandlerContext&);
http::Response get_heatmap_page(const http::Request&, Database&, const HandlerContext&);
http::Response get_compare_page(const http::Request&, Database&, const HandlerContext&);

// requests.cpp
http::Response get_requests_page(const http::Request&, Database&, const HandlerContext&);
http::Response get_request_page(const http::Request&, Database&, const HandlerContext&);

// doctor.cpp
http::Response get_doctor_page(const http::Request&, Database&, const HandlerContext&);

// machines.cpp
http::Response get_machines_page(const http::Request&, Database&, const HandlerContext&);

/// As the API's, but back to the page of machines.
http::Response post_outbox_retry_form(const http::Request&, Database&, const HandlerContext&);
http::Response post_notice_retry_form(const http::Request&, Database&, const HandlerContext&);
http::Response post_missed_take_back_form(const http::Request&, Database&, const HandlerContext&);
http::Response post_job_retry_form(const http::Request&, Database&, const HandlerContext&);
http::Response post_worker_quarantine_form(const http::Request&, Database&, const HandlerContext&);
http::Response post_worker_release_form(const http::Request&, Database&, const HandlerContext&);

// sign_in.cpp
http::Response get_sign_in_page(const http::Request&, Database&, const HandlerContext&);
http::Response post_sign_in(const http::Request&, Database&, const HandlerContext&);
http::Response post_sign_out(const http::Request&, Database&, const HandlerContext&);

// docs.cpp
/// The way into the documentation site. @throws Error{not_found} where the program has none
http::Response get_docs_start(const http::Request&, Database&, const HandlerContext&);
http::Response get_docs_file(const http::Request&, Database&, const HandlerContext&);

// assets.cpp
http::Response get_asset(const http::Request&, Database&, const HandlerContext&);

}  // namespace vigil::service
