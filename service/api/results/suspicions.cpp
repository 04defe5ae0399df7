#include <optional>

#include <nlohmann/json.hpp>

#include "bisect/detect/series_record.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

namespace {

// Whose builds are side A in turn, the filed pair's first. What cannot be read is left out.
nlohmann::json old_nights_of(Database& db, const std::string& text) {
    auto nights = nlohmann::json::array();
    const auto ids = stored_json(text);
    if (!ids.is_array()) return nights;
    for (const auto& id : ids) {
        if (!id.is_number_integer()) continue;
        auto rows = db.query(
            "SELECT id, name, build_id, revision FROM nightly WHERE id = ?1",
            id.get<std::int64_t>());
        if (!rows.next()) continue;
        nights.push_back(
            {{"nightly", rows.get<std::int64_t>(0)},
             {"name", rows.get<std::string>(1)},
             {"build", rows.get<std::int64_t>(2)},
             {"revision", rows.get<std::string>(3)}});
    }
    return nights;
}

nlohmann::json suspicion_json(Database& db, const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"series", row.get<std::int64_t>(2)},
        {"benchmark", row.get<std::string>(3)},
        {"variant", row.get<std::string>(4)},
        {"machine_class", row.get<std::string>(5)},
        {"metric", row.get<std::string>(6)},
        {"unit", row.get<std::string>(7)},
        {"nightly", row.get<std::int64_t>(8)},
        {"good_nightly", row.get<std::int64_t>(9)},
        {"session", or_null(row.get<std::optional<std::int64_t>>(10))},
        {"state", row.get<std::string>(11)},
        {"verdict", or_null(row.get<std::optional<std::string>>(12))},
        {"base", row.get<double>(13)},
        {"value", row.get<double>(14)},
        {"change_ratio", row.get<double>(15)},
        {"confirmed", stored_json(row.get<std::string>(16))},
        {"reason", row.get<std::string>(17)},
        {"created_at_s", row.get<std::int64_t>(18)},
        {"ended_at_s", or_null(row.get<std::optional<std::int64_t>>(19))},
        {"kind", row.get<std::string>(20)},
        {"score", row.get<double>(21)},
        {"creep", row.get<bool>(22)},
        {"since_nightly", or_null(row.get<std::optional<std::int64_t>>(23))},
        {"since_earliest", or_null(row.get<std::optional<std::int64_t>>(24))},
        {"since_latest", or_null(row.get<std::optional<std::int64_t>>(25))},
        {"chance", row.get<double>(26)},
        {"waited", row.get<std::int64_t>(27)},
        {"waits", row.get<std::string>(28)},
        {"asked", or_null(row.get<std::optional<std::string>>(29))},
        {"old_nights", old_nights_of(db, row.get<std::string>(30))}};
}

}  // namespace

http::Response list_suspicions(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page = parse_page(
        request,
        {"project",
         "state",
         "verdict",
         "metric",
         "benchmark",
         "variant",
         "machine_class",
         "nightly",
         "series",
         "waiting",
         "asked",
         "since_s",
         "until_s"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        "SELECT suspicion.id, project.name, series.id, series.benchmark, series.variant,"
        " machine_class.name, series.metric, series.unit, suspicion.nightly_id,"
        " suspicion.good_nightly_id, suspicion.session_id, suspicion.state, suspicion.verdict,"
        " suspicion.base, suspicion.value, suspicion.change_ratio, suspicion.confirmed,"
        " suspicion.reason, suspicion.created_at_s, suspicion.ended_at_s,"
        " suspicion.kind, suspicion.score, suspicion.creep, suspicion.since_nightly_id,"
        " suspicion.since_earliest_id, suspicion.since_latest_id, suspicion.chance,"
        " suspicion.waited, suspicion.waits,"
        " iif(suspicion.kind = 'level', suspicion.asked, NULL), suspicion.old_nights"
        " FROM suspicion JOIN series ON series.id = suspicion.series_id"
        " JOIN project ON project.id = series.project_id"
        " JOIN machine_class ON machine_class.id = series.machine_class_id"
        " WHERE suspicion.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
        " AND (?3 IS NULL OR suspicion.state = ?3) AND (?4 IS NULL OR suspicion.verdict = ?4)"
        " AND (?5 IS NULL OR series.metric = ?5) AND (?6 IS NULL OR series.benchmark = ?6)"
        " AND (?7 IS NULL OR series.variant = ?7) AND (?8 IS NULL OR machine_class.name = ?8)"
        " AND (?9 IS NULL OR suspicion.nightly_id = ?9)"
        " AND (?10 IS NULL OR suspicion.series_id = ?10)"
        " AND (?11 IS NULL OR suspicion.created_at_s >= ?11)"
        " AND (?12 IS NULL OR suspicion.created_at_s < ?12)"
        " AND (?13 IS NULL OR (suspicion.waits <> '') = (?13 <> 0))"
        " AND (?14 IS NULL OR (suspicion.asked = ?14 AND suspicion.kind = 'level'))"
        " ORDER BY suspicion.id DESC LIMIT ?15",
        page.before_id,
        filters.project(),
        enum_filter<SuspicionState>(request, "state"),
        enum_filter<Verdict>(request, "verdict"),
        enum_filter<Metric>(request, "metric"),
        filters.benchmark(),
        filters.variant(),
        filters.machine_class(),
        filters.nightly(),
        filters.id("series"),
        filters.since_s(),
        filters.until_s(),
        filters.flag("waiting"),
        enum_filter<detect::Asked>(request, "asked"),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(suspicion_json(db, rows));
    return page_response(std::move(items), page);
}

}  // namespace vigil::service
