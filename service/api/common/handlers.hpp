#pragma once

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"
#include "service/store/database.hpp"

// The plain handlers, one group per resource; openapi.yaml says what each takes and gives. All have
// the form of Handler (route.hpp): they throw Error, and touch nothing but the ledger.

namespace vigil::service {

// projects.cpp
http::Response list_projects(const http::Request&, Database&, const HandlerContext&);

// nightlies.cpp
http::Response list_nightlies(const http::Request&, Database&, const HandlerContext&);
http::Response get_nightly(const http::Request&, Database&, const HandlerContext&);
http::Response get_night_summary(const http::Request&, Database&, const HandlerContext&);

// withdrawals.cpp
http::Response post_night_withdraw(const http::Request&, Database&, const HandlerContext&);
http::Response post_night_restore(const http::Request&, Database&, const HandlerContext&);

// jobs.cpp
http::Response list_jobs(const http::Request&, Database&, const HandlerContext&);
http::Response get_job(const http::Request&, Database&, const HandlerContext&);
http::Response post_job_cancel(const http::Request&, Database&, const HandlerContext&);

// workers.cpp
http::Response list_workers_route(const http::Request&, Database&, const HandlerContext&);
http::Response post_worker_release(const http::Request&, Database&, const HandlerContext&);

// series.cpp
http::Response get_series(const http::Request&, Database&, const HandlerContext&);

// history.cpp
http::Response list_history(const http::Request&, Database&, const HandlerContext&);

// precision.cpp
http::Response get_precision(const http::Request&, Database&, const HandlerContext&);

// regressions.cpp
http::Response list_regressions(const http::Request&, Database&, const HandlerContext&);
http::Response get_regression(const http::Request&, Database&, const HandlerContext&);
http::Response post_regression_state(const http::Request&, Database&, const HandlerContext&);

// reports.cpp
http::Response post_report_retry(const http::Request&, Database&, const HandlerContext&);

// triggers.cpp
http::Response post_trigger(const http::Request&, Database&, const HandlerContext&);

// tokens.cpp
http::Response post_token(const http::Request&, Database&, const HandlerContext&);
http::Response delete_token(const http::Request&, Database&, const HandlerContext&);

// content.cpp
http::Response get_log(const http::Request&, Database&, const HandlerContext&);

}  // namespace vigil::service
