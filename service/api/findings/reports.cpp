#include <optional>

#include <nlohmann/json.hpp>

#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/report/deliver/outbox.hpp"

namespace vigil::service {

namespace {

constexpr const char* select_report =
    "SELECT report.id, report.kind, project.name, report.regression_id, report.nightly_id,"
    " report.version, report.title, report.created_at_s, report.body,"
    " report.trouble_id"
    " FROM report JOIN project ON project.id = report.project_id";

nlohmann::json report_json(const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"kind", row.get<std::string>(1)},
        {"project", row.get<std::string>(2)},
        {"regression", or_null(row.get<std::optional<std::int64_t>>(3))},
        {"nightly", or_null(row.get<std::optional<std::int64_t>>(4))},
        {"trouble", or_null(row.get<std::optional<std::int64_t>>(9))},
        {"version", row.get<std::int64_t>(5)},
        {"title", row.get<std::string>(6)},
        {"created_at_s", row.get<std::int64_t>(7)}};
}

nlohmann::json messages_of(Database& db, std::int64_t report) {
    auto messages = nlohmann::json::array();
    auto rows = db.query(
        "SELECT target, state, attempts, external_ref, message FROM outbox WHERE report_id = ?1"
        " ORDER BY id LIMIT ?2",
        report,
        max_page_size);
    while (rows.next()) {
        messages.push_back(
            {{"target", rows.get<std::string>(0)},
             {"state", rows.get<std::string>(1)},
             {"attempts", rows.get<std::int64_t>(2)},
             {"external_ref", rows.get<std::string>(3)},
             {"message", rows.get<std::string>(4)}});
    }
    return messages;
}

}  // namespace

http::Response list_reports(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page =
        parse_page(request, {"project", "kind", "regression", "nightly", "since_s", "until_s"});
    const Filters filters(request, db, context.config);
    const auto kind = filters.one_of("kind", {"regression", "night", "trouble"});
    auto rows = db.query(
        std::string(select_report) +
            " WHERE report.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
            " AND (?3 IS NULL OR report.kind = ?3) AND (?4 IS NULL OR report.regression_id = ?4)"
            " AND (?5 IS NULL OR report.nightly_id = ?5)"
            " AND (?6 IS NULL OR report.created_at_s >= ?6)"
            " AND (?7 IS NULL OR report.created_at_s < ?7) ORDER BY report.id DESC LIMIT ?8",
        page.before_id,
        filters.project(),
        kind,
        filters.id("regression"),
        filters.nightly(),
        filters.since_s(),
        filters.until_s(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(report_json(rows));
    return page_response(std::move(items), page);
}

http::Response get_report(const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    nlohmann::json report;
    {
        auto rows = db.query(std::string(select_report) + " WHERE report.id = ?1", id);
        if (!rows.next()) throw_missing("report", id);
        report = report_json(rows);
        report["body"] = rows.get<std::string>(8);
    }
    report["messages"] = messages_of(db, id);
    return object_response(report);
}

http::Response post_report_retry(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const ReportId id{id_parameter(request)};
    if (!db.find<int>("SELECT 1 FROM report WHERE id = ?1", id)) throw_missing("report", id.value);
    const nlohmann::json reply = {
        {"id", id.value}, {"targets", retry_given_up(db, id, context.moment())}};
    return object_response(reply);
}

}  // namespace vigil::service
