#pragma once

#include "schema/http/message.hpp"
#include "service/api/common/listing.hpp"

// The plain handlers, one group per resource; openapi.yaml says what each takes and gives. They
// have the form of Handler (route.hpp): they throw Error, and touch nothing but the ledger. Of most
// lists there is only what they add to each thing, see Finish.

namespace vigil::service {

// projects.cpp
void add_config(nlohmann::json& project, Database&, const HandlerContext&);

// nightlies.cpp
void add_withdrawn(nlohmann::json& nightly, Database&, const HandlerContext&);
http::Response get_nightly(const http::Request&, Database&, const HandlerContext&);
http::Response get_night_summary(const http::Request&, Database&, const HandlerContext&);

// night_commits.cpp
/// The commits between a night and the one before it.
http::Response get_night_commits(const http::Request&, Database&, const HandlerContext&);

// backfills.cpp
/// About how long it still takes; null where no night of it has ended yet.
void add_remaining(nlohmann::json& backfill, Database&, const HandlerContext&);
http::Response post_backfill(const http::Request&, Database&, const HandlerContext&);
http::Response post_backfill_cancel(const http::Request&, Database&, const HandlerContext&);

// imports.cpp
/// What undoing it would remove, and why it cannot be undone now.
void add_undo(nlohmann::json& import, Database&, const HandlerContext&);
http::Response post_import_undo(const http::Request&, Database&, const HandlerContext&);

// withdrawals.cpp
http::Response post_night_withdraw(const http::Request&, Database&, const HandlerContext&);
http::Response post_night_restore(const http::Request&, Database&, const HandlerContext&);

// fleet.cpp
void tell_time_of_day(nlohmann::json& job, Database&, const HandlerContext&);
http::Response post_job_cancel(const http::Request&, Database&, const HandlerContext&);
http::Response post_job_retry(const http::Request&, Database&, const HandlerContext&);
void add_unseen(nlohmann::json& worker, Database&, const HandlerContext&);
/// Says what differs from the one before, instead of showing that one.
void tell_changed(nlohmann::json& environment, Database&, const HandlerContext&);
http::Response post_worker_quarantine(const http::Request&, Database&, const HandlerContext&);
http::Response post_worker_release(const http::Request&, Database&, const HandlerContext&);

// queue.cpp
/// Jobs that have not ended, by state, purpose, project, machine class and why.
http::Response get_queue(const http::Request&, Database&, const HandlerContext&);

// series.cpp
http::Response get_series(const http::Request&, Database&, const HandlerContext&);
/// Adds its value: the median of those runs that are not left out; null where there are none.
void add_night_value(nlohmann::json& night, Database&, const HandlerContext&);
http::Response list_series_nights(const http::Request&, Database&, const HandlerContext&);
http::Response list_history(const http::Request&, Database&, const HandlerContext&);

// series_chart.cpp
http::Response get_series_chart(const http::Request&, Database&, const HandlerContext&);

// series_night.cpp
/// Why a night of a series says what it says.
http::Response get_series_night(const http::Request&, Database&, const HandlerContext&);

// trends.cpp, heatmap.cpp, compare.cpp: many series at once
http::Response get_trends(const http::Request&, Database&, const HandlerContext&);
http::Response get_heatmap(const http::Request&, Database&, const HandlerContext&);
http::Response get_compare(const http::Request&, Database&, const HandlerContext&);

// week.cpp
http::Response get_week(const http::Request&, Database&, const HandlerContext&);

// hours.cpp
/// Machine hours of a project by day, machine class and work.
http::Response get_hours(const http::Request&, Database&, const HandlerContext&);

// doctor.cpp
/// What is stuck, lost, inconsistent or about to be, and what to do.
http::Response get_doctor(const http::Request&, Database&, const HandlerContext&);

// precision.cpp
http::Response get_precision(const http::Request&, Database&, const HandlerContext&);

// thresholds.cpp
/// What other thresholds would have said of what was measured again.
http::Response get_thresholds(const http::Request&, Database&, const HandlerContext&);

// regressions.cpp
void add_links(nlohmann::json& regression, Database&, const HandlerContext&);
/// Links, and as `worst` the series that got worse the most; null where none has a size.
void add_worst(nlohmann::json& regression, Database&, const HandlerContext&);
http::Response get_regression(const http::Request&, Database&, const HandlerContext&);
http::Response post_regression_state(const http::Request&, Database&, const HandlerContext&);
/// Asks which functions of the culprit execute more.
http::Response get_regression_flame(const http::Request&, Database&, const HandlerContext&);
http::Response post_regression_why(const http::Request&, Database&, const HandlerContext&);
http::Response post_regression_revert(const http::Request&, Database&, const HandlerContext&);

// decisions.cpp
http::Response post_regression_assign(const http::Request&, Database&, const HandlerContext&);
http::Response post_regression_mute(const http::Request&, Database&, const HandlerContext&);
http::Response post_series_mute(const http::Request&, Database&, const HandlerContext&);
http::Response post_mute_end(const http::Request&, Database&, const HandlerContext&);

// missed.cpp
http::Response post_series_missed(const http::Request&, Database&, const HandlerContext&);
http::Response delete_missed(const http::Request&, Database&, const HandlerContext&);

// standing.cpp
/// Where a search stands: what it says, how likely each commit is, and about when it ends.
http::Response get_bisection_standing(const http::Request&, Database&, const HandlerContext&);
/// The levels of a regression's series along the commits, as its report draws them.
http::Response get_regression_levels(const http::Request&, Database&, const HandlerContext&);

// reports.cpp
void tell_next_attempt(nlohmann::json& message, Database&, const HandlerContext&);
http::Response post_notice_retry(const http::Request&, Database&, const HandlerContext&);
http::Response post_outbox_retry(const http::Request&, Database&, const HandlerContext&);
http::Response post_report_retry(const http::Request&, Database&, const HandlerContext&);

// triggers.cpp
http::Response post_trigger(const http::Request&, Database&, const HandlerContext&);

// requests.cpp
http::Response post_run(const http::Request&, Database&, const HandlerContext&);
http::Response post_comparison(const http::Request&, Database&, const HandlerContext&);
http::Response post_bisection(const http::Request&, Database&, const HandlerContext&);
http::Response post_request_cancel(const http::Request&, Database&, const HandlerContext&);
http::Response post_bisection_cancel(const http::Request&, Database&, const HandlerContext&);
/// How many runs it makes at most, and has made.
void add_runs_of_request(nlohmann::json& request, Database&, const HandlerContext&);

// tokens.cpp
http::Response post_token(const http::Request&, Database&, const HandlerContext&);
http::Response delete_token(const http::Request&, Database&, const HandlerContext&);

// badge.cpp: how a project stands, as a small SVG
http::Response get_badge(const http::Request&, Database&, const HandlerContext&);

// docs.cpp: openapi.yaml, for programs and for people
http::Response get_openapi_json(const http::Request&, Database&, const HandlerContext&);
http::Response get_openapi_yaml(const http::Request&, Database&, const HandlerContext&);
http::Response get_docs(const http::Request&, Database&, const HandlerContext&);

// content.cpp
http::Response get_log(const http::Request&, Database&, const HandlerContext&);

}  // namespace vigil::service
