#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/handlers.hpp"
#include "service/api/listing.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_reason_bytes = 2000;

constexpr const char* select_regression =
    "SELECT regression.id, project.name, regression.nightly_id, regression.state, good.id,"
    " good.revision, bad.id, bad.revision, regression.bisection_id, regression.split_from_id,"
    " regression.culprit, regression.suspects, regression.reason, regression.created_at_s,"
    " regression.changed_at_s FROM regression"
    " JOIN project ON project.id = regression.project_id"
    " JOIN build AS good ON good.id = regression.good_build_id"
    " JOIN build AS bad ON bad.id = regression.bad_build_id";

nlohmann::json regression_json(const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"nightly", row.get<std::int64_t>(2)},
        {"state", row.get<std::string>(3)},
        {"good_build", row.get<std::int64_t>(4)},
        {"good_revision", row.get<std::string>(5)},
        {"bad_build", row.get<std::int64_t>(6)},
        {"bad_revision", row.get<std::string>(7)},
        {"bisection", or_null(row.get<std::optional<std::int64_t>>(8))},
        {"split_from", or_null(row.get<std::optional<std::int64_t>>(9))},
        {"culprit", or_null(row.get<std::optional<std::string>>(10))},
        {"suspects", stored_json(row.get<std::string>(11))},
        {"reason", row.get<std::string>(12)},
        {"created_at_s", row.get<std::int64_t>(13)},
        {"changed_at_s", row.get<std::int64_t>(14)}};
}

nlohmann::json series_of(Database& db, std::int64_t regression) {
    auto all = nlohmann::json::array();
    auto rows = db.query(
        "SELECT series.id, series.benchmark, series.variant, machine_class.name, series.metric,"
        " series.unit, series.direction, regression_series.suspicion_id, suspicion.verdict,"
        " suspicion.change_ratio, suspicion.confirmed, regression_series.verified,"
        " regression_series.recovered_nightly_id FROM regression_series"
        " JOIN series ON series.id = regression_series.series_id"
        " JOIN machine_class ON machine_class.id = series.machine_class_id"
        " JOIN suspicion ON suspicion.id = regression_series.suspicion_id"
        " WHERE regression_series.regression_id = ?1 ORDER BY series.id LIMIT ?2",
        regression,
        max_page_size);
    while (rows.next()) {
        all.push_back(
            {{"series", rows.get<std::int64_t>(0)},
             {"benchmark", rows.get<std::string>(1)},
             {"variant", rows.get<std::string>(2)},
             {"machine_class", rows.get<std::string>(3)},
             {"metric", rows.get<std::string>(4)},
             {"unit", rows.get<std::string>(5)},
             {"direction", rows.get<std::string>(6)},
             {"suspicion", rows.get<std::int64_t>(7)},
             {"verdict", or_null(rows.get<std::optional<std::string>>(8))},
             {"change_ratio", rows.get<double>(9)},
             {"confirmed", stored_json(rows.get<std::string>(10))},
             {"verified", stored_json(rows.get<std::string>(11))},
             {"recovered_nightly", or_null(rows.get<std::optional<std::int64_t>>(12))}});
    }
    return all;
}

nlohmann::json reports_of(Database& db, std::int64_t regression) {
    auto reports = nlohmann::json::array();
    auto rows = db.query(
        "SELECT id, version, title, created_at_s FROM report"
        " WHERE regression_id = ?1 AND kind = 'regression' ORDER BY version DESC LIMIT ?2",
        regression,
        max_page_size);
    while (rows.next()) {
        reports.push_back(
            {{"id", rows.get<std::int64_t>(0)},
             {"version", rows.get<std::int64_t>(1)},
             {"title", rows.get<std::string>(2)},
             {"created_at_s", rows.get<std::int64_t>(3)}});
    }
    return reports;
}

/// A person acknowledges what was filed, and ends what is understood.
bool may_become(RegressionState from, RegressionState to) {
    switch (to) {
        case RegressionState::acknowledged: return from == RegressionState::reported;
        case RegressionState::accepted:
        case RegressionState::refuted:
            return from == RegressionState::reported || from == RegressionState::acknowledged;
        default: return false;
    }
}

nlohmann::json load_regression(Database& db, std::int64_t id) {
    auto rows = db.query(std::string(select_regression) + " WHERE regression.id = ?1", id);
    if (!rows.next()) throw_missing("regression", id);
    return regression_json(rows);
}

}  // namespace

http::Response list_regressions(const http::Request& request, Database& db, const HandlerContext&) {
    const Page page = parse_page(
        request,
        {"project",
         "state",
         "metric",
         "benchmark",
         "nightly",
         "bisection",
         "culprit",
         "since_s",
         "until_s"});
    const Snapshot snapshot(db);
    auto rows = db.query(
        std::string(select_regression) +
            " WHERE regression.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
            " AND (?3 IS NULL OR regression.state = ?3)"
            " AND (?4 IS NULL AND ?5 IS NULL OR EXISTS (SELECT 1 FROM regression_series AS link"
            "  JOIN series ON series.id = link.series_id WHERE link.regression_id = regression.id"
            "  AND (?4 IS NULL OR series.metric = ?4)"
            "  AND (?5 IS NULL OR series.benchmark = ?5)))"
            " AND (?6 IS NULL OR regression.nightly_id = ?6)"
            " AND (?7 IS NULL OR regression.bisection_id = ?7)"
            " AND (?8 IS NULL OR regression.culprit = ?8)"
            " AND (?9 IS NULL OR regression.created_at_s >= ?9)"
            " AND (?10 IS NULL OR regression.created_at_s < ?10)"
            " ORDER BY regression.id DESC LIMIT ?11",
        page.before_id,
        text_filter(request, "project"),
        enum_filter<RegressionState>(request, "state"),
        enum_filter<Metric>(request, "metric"),
        text_filter(request, "benchmark"),
        number_filter(request, "nightly"),
        number_filter(request, "bisection"),
        text_filter(request, "culprit"),
        number_filter(request, "since_s"),
        number_filter(request, "until_s"),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) {
        items.push_back(regression_json(rows));
        items.back()["series"] = series_of(db, rows.get<std::int64_t>(0));
    }
    return page_response(std::move(items), page);
}

http::Response get_regression(const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    auto regression = load_regression(db, id);
    regression["series"] = series_of(db, id);
    regression["reports"] = reports_of(db, id);
    return object_response(regression);
}

http::Response post_regression_state(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto id = id_parameter(request);
    const auto body = wire::parse_json(request.body, "the body");
    wire::ObjectReader reader(body, "body");
    const auto wanted = reader.choice<RegressionState>("state");
    const auto reason = reader.text_or("reason", "", max_reason_bytes);
    reader.done();
    auto regression = load_regression(db, id);
    const auto state = parse_enum<RegressionState>(regression.at("state").get<std::string>());
    if (state != wanted) {
        if (!may_become(state, wanted)) {
            throw Error(
                Errc::conflict,
                "regression " + std::to_string(id) + " is " + std::string(to_string(state)) +
                    "; it cannot become " + std::string(to_string(wanted)) + " by hand");
        }
        db.execute(
            "UPDATE regression SET state = ?2, changed_at_s = ?3 WHERE id = ?1",
            id,
            wanted,
            context.now_s);
        const auto project =
            db.find<ProjectId>("SELECT project_id FROM regression WHERE id = ?1", id);
        const nlohmann::json data = {
            {"from", to_string(state)}, {"by", request.caller->name}, {"reason", reason}};
        record_event(
            db,
            context.now_s,
            "regression." + std::string(to_string(wanted)),
            project,
            "regression/" + std::to_string(id),
            request.caller->name + " set regression " + std::to_string(id) + " to " +
                std::string(to_string(wanted)),
            wire::write_json(data));
    }
    const nlohmann::json reply = {{"id", id}, {"state", to_string(wanted)}};
    return object_response(reply);
}

}  // namespace vigil::service
