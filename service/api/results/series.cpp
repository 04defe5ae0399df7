#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/metric.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

namespace {

constexpr const char* select_series =
    "SELECT series.id, project.name, series.benchmark, series.variant, machine_class.name,"
    " series.metric, series.definition, series.unit, series.direction"
    " FROM series JOIN project ON project.id = series.project_id"
    " JOIN machine_class ON machine_class.id = series.machine_class_id";

nlohmann::json series_json(const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"benchmark", row.get<std::string>(2)},
        {"variant", row.get<std::string>(3)},
        {"machine_class", row.get<std::string>(4)},
        {"metric", row.get<std::string>(5)},
        {"definition", row.get<std::int64_t>(6)},
        {"unit", row.get<std::string>(7)},
        {"direction", row.get<std::string>(8)}};
}

nlohmann::json points_of(Database& db, std::int64_t series, int limit) {
    auto points = nlohmann::json::array();
    auto rows = db.query(
        "SELECT run.id, run.build_id, build.revision, job.purpose, job.nightly_id, median, spread,"
        " count, run.started_at_ns, job.purpose = 'nightly' AND EXISTS (SELECT 1 FROM left_out o"
        "  WHERE o.nightly_id = job.nightly_id AND o.worker_id IN (0, run.worker_id))"
        " FROM measurement JOIN run ON run.id = "
        "measurement.run_id"
        " JOIN build ON build.id = run.build_id JOIN job ON job.id = run.job_id"
        " WHERE series_id = ?1 ORDER BY run_id DESC LIMIT ?2",
        series,
        limit);
    while (rows.next()) {
        points.push_back(
            {{"run", rows.get<std::int64_t>(0)},
             {"build", rows.get<std::int64_t>(1)},
             {"revision", rows.get<std::string>(2)},
             {"purpose", rows.get<std::string>(3)},
             {"nightly", or_null(rows.get<std::optional<std::int64_t>>(4))},
             {"median", rows.get<double>(5)},
             {"spread", rows.get<double>(6)},
             {"count", rows.get<std::int64_t>(7)},
             {"started_at_ns", rows.get<std::int64_t>(8)},
             {"left_out", rows.get<bool>(9)}});
    }
    return points;
}

nlohmann::json baselines_of(Database& db, std::int64_t series) {
    auto baselines = nlohmann::json::array();
    auto rows = db.query(
        "SELECT id, kind, nightly_id, reason, created_at_s, withdrawn FROM baseline WHERE "
        "series_id = ?1"
        " ORDER BY id DESC LIMIT ?2",
        series,
        max_page_size);
    while (rows.next()) {
        baselines.push_back(
            {{"id", rows.get<std::int64_t>(0)},
             {"kind", rows.get<std::string>(1)},
             {"nightly", rows.get<std::int64_t>(2)},
             {"reason", rows.get<std::string>(3)},
             {"created_at_s", rows.get<std::int64_t>(4)},
             {"withdrawn", rows.get<bool>(5)}});
    }
    return baselines;
}

}  // namespace

http::Response list_series(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page =
        parse_page(request, {"project", "benchmark", "variant", "machine_class", "metric"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        std::string(select_series) +
            " WHERE series.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
            " AND (?3 IS NULL OR series.benchmark = ?3) AND (?4 IS NULL OR series.variant = ?4)"
            " AND (?5 IS NULL OR machine_class.name = ?5) AND (?6 IS NULL OR series.metric = ?6)"
            " ORDER BY series.id DESC LIMIT ?7",
        page.before_id,
        filters.project(),
        filters.benchmark(),
        filters.variant(),
        filters.machine_class(),
        enum_filter<Metric>(request, "metric"),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(series_json(rows));
    return page_response(std::move(items), page);
}

http::Response get_series(const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {"limit"});
    const Page page = parse_page(request);
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    nlohmann::json series;
    {
        auto rows = db.query(std::string(select_series) + " WHERE series.id = ?1", id);
        if (!rows.next()) throw_missing("series", id);
        series = series_json(rows);
    }
    series["points"] = points_of(db, id, page.limit);
    series["baselines"] = baselines_of(db, id);
    return object_response(series);
}

}  // namespace vigil::service
