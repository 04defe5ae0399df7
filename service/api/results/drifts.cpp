#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/metric.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

namespace {

nlohmann::json drift_json(const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"series", row.get<std::int64_t>(2)},
        {"benchmark", row.get<std::string>(3)},
        {"variant", row.get<std::string>(4)},
        {"machine_class", row.get<std::string>(5)},
        {"metric", row.get<std::string>(6)},
        {"unit", row.get<std::string>(7)},
        {"kind", row.get<std::string>(8)},
        {"nightly", row.get<std::int64_t>(9)},
        {"since_nightly", row.get<std::int64_t>(10)},
        {"since_earliest", row.get<std::int64_t>(11)},
        {"since_latest", row.get<std::int64_t>(12)},
        {"since_day", row.get<std::string>(13)},
        {"since_version", row.get<std::string>(14)},
        {"suspicion", or_null(row.get<std::optional<std::int64_t>>(15))},
        {"before", row.get<double>(16)},
        {"after", row.get<double>(17)},
        {"change_ratio", row.get<double>(18)},
        {"low", row.get<double>(19)},
        {"high", row.get<double>(20)},
        {"created_at_s", row.get<std::int64_t>(21)},
        {"since_name", row.get<std::string>(22)}};
}

}  // namespace

http::Response list_drifts(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page = parse_page(
        request,
        {"project",
         "metric",
         "benchmark",
         "variant",
         "machine_class",
         "nightly",
         "series",
         "since_s",
         "until_s"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        "SELECT drift.id, project.name, series.id, series.benchmark, series.variant,"
        " machine_class.name, series.metric, series.unit, drift.kind, drift.nightly_id,"
        " drift.since_nightly_id, drift.since_earliest_id, drift.since_latest_id, since.day,"
        " since.version, drift.suspicion_id, drift.before, drift.after, drift.change_ratio,"
        " drift.low, drift.high, drift.created_at_s, since.name"
        " FROM drift JOIN series ON series.id = drift.series_id"
        " JOIN project ON project.id = series.project_id"
        " JOIN machine_class ON machine_class.id = series.machine_class_id"
        " JOIN nightly since ON since.id = drift.since_nightly_id"
        " WHERE drift.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
        " AND (?3 IS NULL OR series.metric = ?3) AND (?4 IS NULL OR series.benchmark = ?4)"
        " AND (?5 IS NULL OR series.variant = ?5) AND (?6 IS NULL OR machine_class.name = ?6)"
        " AND (?7 IS NULL OR drift.nightly_id = ?7) AND (?8 IS NULL OR drift.series_id = ?8)"
        " AND (?9 IS NULL OR drift.created_at_s >= ?9)"
        " AND (?10 IS NULL OR drift.created_at_s < ?10)"
        " ORDER BY drift.id DESC LIMIT ?11",
        page.before_id,
        filters.project(),
        enum_filter<Metric>(request, "metric"),
        filters.benchmark(),
        filters.variant(),
        filters.machine_class(),
        filters.nightly(),
        filters.id("series"),
        filters.since_s(),
        filters.until_s(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(drift_json(rows));
    return page_response(std::move(items), page);
}

}  // namespace vigil::service
