#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

namespace {

constexpr int max_suspects_shown = 5000;
constexpr int max_probes_shown = 2000;
constexpr int max_observations_shown = 5000;

constexpr const char* select_bisection =
    "SELECT bisection.id, project.name, bisection.nightly_id, bisection.good_revision,"
    " bisection.bad_revision, bisection.state, bisection.planner, bisection.created_at_s,"
    " bisection.ended_at_s, bisection.settings, bisection.conclusion, bisection.outer_id,"
    " bisection.merge, bisection.parent, bisection.kind, bisection.log_tail"
    " FROM bisection JOIN project ON project.id = bisection.project_id";

nlohmann::json bisection_json(const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"nightly", row.get<std::int64_t>(2)},
        {"good_revision", row.get<std::string>(3)},
        {"bad_revision", row.get<std::string>(4)},
        {"state", row.get<std::string>(5)},
        {"planner", row.get<std::int64_t>(6)},
        {"created_at_s", row.get<std::int64_t>(7)},
        {"ended_at_s", or_null(row.get<std::optional<std::int64_t>>(8))},
        {"outer", or_null(row.get<std::optional<std::int64_t>>(11))},
        {"merge", or_null(row.get<std::optional<std::string>>(12))},
        {"parent", or_null(row.get<std::optional<std::int64_t>>(13))},
        {"kind", row.get<std::string>(14)}};
}

nlohmann::json suspects_of(Database& db, std::int64_t bisection) {
    auto suspects = nlohmann::json::array();
    auto rows = db.query(
        "SELECT position, revision, parent, merge, subject, author, authored_at_s, build_id,"
        " brought FROM suspect WHERE bisection_id = ?1 ORDER BY position LIMIT ?2",
        bisection,
        max_suspects_shown);
    while (rows.next()) {
        suspects.push_back(
            {{"position", rows.get<std::int64_t>(0)},
             {"revision", rows.get<std::string>(1)},
             {"parent", or_null(rows.get<std::optional<std::string>>(2))},
             {"merge", rows.get<bool>(3)},
             {"subject", rows.get<std::string>(4)},
             {"author", rows.get<std::string>(5)},
             {"authored_at_s", rows.get<std::int64_t>(6)},
             {"build", or_null(rows.get<std::optional<std::int64_t>>(7))},
             {"brought", stored_json(rows.get<std::string>(8))}});
    }
    return suspects;
}

/// What the jobs of one probe measured, in the order of the runs; a run without a value has
/// series, metric and value null.
nlohmann::json observations_of(Database& db, std::int64_t probe) {
    auto observations = nlohmann::json::array();
    auto rows = db.query(
        "SELECT run.id, job.id, run.step, build.revision, run.outcome, series.id, series.metric,"
        " measurement.median FROM job JOIN run ON run.job_id = job.id"
        " JOIN build ON build.id = run.build_id"
        " LEFT JOIN measurement ON measurement.run_id = run.id"
        " LEFT JOIN series ON series.id = measurement.series_id"
        " WHERE job.probe_id = ?1 ORDER BY run.id, series.id LIMIT ?2",
        probe,
        max_observations_shown);
    while (rows.next()) {
        const auto value = rows.get<std::optional<double>>(7);
        observations.push_back(
            {{"run", rows.get<std::int64_t>(0)},
             {"job", rows.get<std::int64_t>(1)},
             {"step", rows.get<std::int64_t>(2)},
             {"revision", rows.get<std::string>(3)},
             {"outcome", rows.get<std::string>(4)},
             {"series", or_null(rows.get<std::optional<std::int64_t>>(5))},
             {"metric", or_null(rows.get<std::optional<std::string>>(6))},
             {"value", value ? nlohmann::json(*value) : nlohmann::json()}});
    }
    return observations;
}

nlohmann::json probes_of(Database& db, std::int64_t bisection) {
    auto probes = nlohmann::json::array();
    auto rows = db.query(
        "SELECT id, number, plan, state, created_at_s FROM probe WHERE bisection_id = ?1"
        " ORDER BY number LIMIT ?2",
        bisection,
        max_probes_shown);
    while (rows.next()) {
        const auto id = rows.get<std::int64_t>(0);
        probes.push_back(
            {{"id", id},
             {"number", rows.get<std::int64_t>(1)},
             {"plan", stored_json(rows.get<std::string>(2))},
             {"state", rows.get<std::string>(3)},
             {"created_at_s", rows.get<std::int64_t>(4)},
             {"observations", observations_of(db, id)}});
    }
    return probes;
}

/// @param sql  rows of ids; ?1 is the bisection, ?2 a limit
nlohmann::json ids_of(Database& db, const char* sql, std::int64_t bisection) {
    auto ids = nlohmann::json::array();
    auto rows = db.query(sql, bisection, max_page_size);
    while (rows.next()) ids.push_back(rows.get<std::int64_t>(0));
    return ids;
}

/// Those it gave their answer, and the one that it was begun for.
constexpr const char* select_regressions =
    "SELECT id FROM regression WHERE bisection_id = ?1"
    " OR id = (SELECT regression_id FROM bisection WHERE id = ?1) ORDER BY id LIMIT ?2";
constexpr const char* select_inner =
    "SELECT id FROM bisection WHERE outer_id = ?1 ORDER BY id LIMIT ?2";

}  // namespace

http::Response list_bisections(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page = parse_page(request, {"project", "state", "nightly", "since_s", "until_s"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        std::string(select_bisection) +
            " WHERE bisection.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
            " AND (?3 IS NULL OR bisection.state = ?3)"
            " AND (?4 IS NULL OR bisection.nightly_id = ?4)"
            " AND (?5 IS NULL OR bisection.created_at_s >= ?5)"
            " AND (?6 IS NULL OR bisection.created_at_s < ?6)"
            " ORDER BY bisection.id DESC LIMIT ?7",
        page.before_id,
        filters.project(),
        enum_filter<BisectionState>(request, "state"),
        filters.nightly(),
        filters.since_s(),
        filters.until_s(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(bisection_json(rows));
    return page_response(std::move(items), page);
}

http::Response get_bisection(const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    nlohmann::json bisection;
    {
        auto rows = db.query(std::string(select_bisection) + " WHERE bisection.id = ?1", id);
        if (!rows.next()) throw_missing("bisection", id);
        bisection = bisection_json(rows);
        bisection["settings"] = stored_json(rows.get<std::string>(9));
        bisection["conclusion"] = stored_json(rows.get<std::string>(10));
        bisection["log_tail"] = or_null(rows.get<std::optional<std::string>>(15));
    }
    bisection["regressions"] = ids_of(db, select_regressions, id);
    bisection["inner"] = ids_of(db, select_inner, id);
    bisection["suspects"] = suspects_of(db, id);
    bisection["probes"] = probes_of(db, id);
    return object_response(bisection);
}

}  // namespace vigil::service
