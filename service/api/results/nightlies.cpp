#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/api/results/withdrawals.hpp"
#include "service/report/facts/night_facts.hpp"
#include "service/report/render/render_night.hpp"

namespace vigil::service {

namespace {

constexpr const char* select_nightly =
    "SELECT nightly.id, project.name, nightly.build_id, nightly.version, nightly.day,"
    " nightly.revision, nightly.state, nightly.message, nightly.created_at_s, nightly.ended_at_s,"
    " nightly.beside, nightly.name FROM nightly JOIN project ON project.id = nightly.project_id";

nlohmann::json nightly_json(Database& db, const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"build", row.get<std::int64_t>(2)},
        {"version", row.get<std::string>(3)},
        {"day", row.get<std::string>(4)},
        {"revision", row.get<std::string>(5)},
        {"state", row.get<std::string>(6)},
        {"message", row.get<std::string>(7)},
        {"created_at_s", row.get<std::int64_t>(8)},
        {"ended_at_s", or_null(row.get<std::optional<std::int64_t>>(9))},
        {"beside", or_null(row.get<std::optional<std::string>>(10))},
        {"name", row.get<std::string>(11)},
        {"withdrawn", withdrawals_of(db, row.get<NightlyId>(0))}};
}

nlohmann::json load_nightly(Database& db, std::int64_t id) {
    auto rows = db.query(std::string(select_nightly) + " WHERE nightly.id = ?1", id);
    if (!rows.next()) throw_missing("nightly", id);
    return nightly_json(db, rows);
}

/// {"name": count} of a query of two columns.
nlohmann::json counts_of(Database& db, const std::string& sql, std::int64_t id) {
    auto counts = nlohmann::json::object();
    auto rows = db.query(sql, id);
    while (rows.next()) counts[rows.get<std::string>(0)] = rows.get<std::int64_t>(1);
    return counts;
}

nlohmann::json job_counts(Database& db, std::int64_t id) {
    return counts_of(
        db, "SELECT state, count(*) FROM job WHERE nightly_id = ?1 GROUP BY state", id);
}

nlohmann::json verdict_counts(Database& db, std::int64_t id) {
    return counts_of(
        db,
        "SELECT coalesce(verdict, state), count(*) FROM suspicion WHERE nightly_id = ?1"
        " GROUP BY 1",
        id);
}

nlohmann::json regressions_of(Database& db, std::int64_t id) {
    auto regressions = nlohmann::json::array();
    auto rows = db.query(
        "SELECT id, state, culprit FROM regression WHERE nightly_id = ?1 ORDER BY id LIMIT ?2",
        id,
        max_page_size);
    while (rows.next()) {
        regressions.push_back(
            {{"id", rows.get<std::int64_t>(0)},
             {"state", rows.get<std::string>(1)},
             {"culprit", or_null(rows.get<std::optional<std::string>>(2))}});
    }
    return regressions;
}

/// The search for the commit that broke the nightly's build; null where there was none.
nlohmann::json breakage_of(Database& db, std::int64_t id) {
    const auto found = find_breakage(db, NightlyId{id});
    if (!found) return nullptr;
    nlohmann::json breakage = {
        {"bisection", found->bisection.value},
        {"state", to_string(found->state)},
        {"revision", nullptr},
        {"subject", nullptr},
        {"builds", found->builds},
        {"said", found->conclusion.summary},
        {"log_tail", found->log_tail}};
    if (found->culprit) {
        breakage["revision"] = found->culprit->str();
        breakage["subject"] = found->subject;
    }
    return breakage;
}

/// Regressions of the night's project that still ask somebody for something.
nlohmann::json open_of(const NightFacts& facts) {
    auto open = nlohmann::json::array();
    for (const auto& one : facts.regressions) {
        if (!is_open(one.state)) continue;
        open.push_back(
            {{"id", one.id.value},
             {"state", to_string(one.state)},
             {"title", one.title},
             {"culprit", one.culprit ? nlohmann::json(one.culprit->str()) : nlohmann::json()},
             {"new", one.tonight},
             {"found_day", one.found_night.substr(0, one.found_night.find('.'))},
             {"found_name", one.found_night}});
    }
    return open;
}

nlohmann::json missing_of(const NightFacts& facts) {
    auto missing = nlohmann::json::array();
    for (const auto& one : facts.missing) missing.push_back({{"what", one.what}, {"why", one.why}});
    return missing;
}

std::int64_t waiting_of(const NightFacts& facts) {
    return std::count_if(facts.changes.begin(), facts.changes.end(), [](const auto& change) {
        return !change.waits.empty();
    });
}

nlohmann::json newest_report(Database& db, std::int64_t id) {
    auto rows = db.query(
        "SELECT id, version, title, body, created_at_s FROM report"
        " WHERE nightly_id = ?1 AND kind = 'night' ORDER BY version DESC LIMIT 1",
        id);
    if (!rows.next()) return nullptr;
    return {
        {"id", rows.get<std::int64_t>(0)},
        {"version", rows.get<std::int64_t>(1)},
        {"title", rows.get<std::string>(2)},
        {"body", rows.get<std::string>(3)},
        {"created_at_s", rows.get<std::int64_t>(4)}};
}

}  // namespace

http::Response list_nightlies(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page = parse_page(
        request, {"project", "state", "version", "revision", "nightly", "since_s", "until_s"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        std::string(select_nightly) +
            " WHERE nightly.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
            " AND (?3 IS NULL OR nightly.state = ?3) AND (?4 IS NULL OR nightly.version = ?4)"
            " AND (?5 IS NULL OR nightly.revision = ?5)"
            " AND (?6 IS NULL OR nightly.created_at_s >= ?6)"
            " AND (?7 IS NULL OR nightly.created_at_s < ?7)"
            " AND (?8 IS NULL OR nightly.id = ?8) ORDER BY nightly.id DESC LIMIT ?9",
        page.before_id,
        filters.project(),
        enum_filter<NightlyState>(request, "state"),
        filters.version(),
        filters.revision(),
        filters.since_s(),
        filters.until_s(),
        filters.nightly(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(nightly_json(db, rows));
    return page_response(std::move(items), page);
}

http::Response get_nightly(const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    auto nightly = load_nightly(db, id);
    nightly["jobs"] = job_counts(db, id);
    nightly["suspicions"] = verdict_counts(db, id);
    nightly["regressions"] = regressions_of(db, id);
    nightly["broken_by"] = breakage_of(db, id);
    return object_response(nightly);
}

http::Response get_night_summary(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    auto nightly = load_nightly(db, id);
    const auto facts = load_night_facts(db, NightlyId{id}, context.config);
    const nlohmann::json summary = {
        {"nightly", std::move(nightly)},
        {"jobs", job_counts(db, id)},
        {"runs",
         counts_of(
             db,
             "SELECT run.outcome, count(*) FROM run JOIN job ON job.id = run.job_id"
             " WHERE job.nightly_id = ?1 GROUP BY run.outcome",
             id)},
        {"suspicions", verdict_counts(db, id)},
        {"regressions", regressions_of(db, id)},
        {"measured", facts.measured_series},
        {"compared", or_null(facts.compared_series)},
        {"first", facts.first_series},
        {"open", open_of(facts)},
        {"missing", missing_of(facts)},
        {"waiting", waiting_of(facts)},
        {"all_clear", is_all_clear(facts)},
        {"report", newest_report(db, id)}};
    return object_response(summary);
}

}  // namespace vigil::service
