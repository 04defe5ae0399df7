#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/by_hand.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/api/results/withdrawals.hpp"
#include "service/config/links.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/reported.hpp"

namespace vigil::service {

namespace {

constexpr const char* select_regression =
    "SELECT regression.id, project.name, regression.nightly_id, regression.state, good.id,"
    " good.revision, bad.id, bad.revision, regression.bisection_id, regression.split_from_id,"
    " regression.culprit, regression.suspects, regression.reason, regression.created_at_s,"
    " regression.changed_at_s, suspect.subject, suspect.author, suspect.authored_at_s,"
    " suspect.parent, (SELECT outbox.external_ref FROM outbox"
    "  JOIN report ON report.id = outbox.report_id WHERE report.regression_id = regression.id"
    "  AND report.kind = 'regression' AND outbox.external_ref LIKE 'http%'"
    "  ORDER BY report.version DESC, outbox.id LIMIT 1)"
    " FROM regression"
    " JOIN project ON project.id = regression.project_id"
    " JOIN build AS good ON good.id = regression.good_build_id"
    " JOIN build AS bad ON bad.id = regression.bad_build_id"
    // Of the search that named it, which may be one inside of a merge.
    " LEFT JOIN suspect ON suspect.revision = regression.culprit AND suspect.position > 0"
    // Cross join: few searches, of one the suspects by its key, never all suspects of all.
    "  AND suspect.bisection_id = (SELECT max(b.id) FROM bisection AS b CROSS JOIN suspect AS s"
    "   ON s.bisection_id = b.id AND s.revision = regression.culprit AND s.position > 0"
    "   WHERE b.id = regression.bisection_id OR b.regression_id = regression.id)";

nlohmann::json url_or_null(const std::string& url) {
    return url.empty() ? nlohmann::json() : nlohmann::json(url);
}

/// Empty where the column is.
Revision revision_in(const Query& row, int column) {
    const auto hash = row.get<std::optional<std::string>>(column);
    return hash ? Revision(*hash) : Revision();
}

/// The verified culprit as its author told it; null where there is none, or it is not known.
nlohmann::json culprit_commit(const Query& row) {
    const auto subject = row.get<std::optional<std::string>>(15);
    if (!subject) return nullptr;
    return {
        {"revision", row.get<std::string>(10)},
        {"parent", or_null(row.get<std::optional<std::string>>(18))},
        {"subject", *subject},
        {"author", row.get<std::string>(16)},
        {"authored_at_s", row.get<std::int64_t>(17)}};
}

nlohmann::json links_json(const Query& row, const Config& config) {
    const Links links = links_of(config, row.get<std::string>(1));
    const Revision culprit = revision_in(row, 10);
    const Revision parent = revision_in(row, 18);
    const auto issue = row.get<std::optional<std::string>>(19).value_or("");
    const auto range = range_url(links, revision_in(row, 5), revision_in(row, 7));
    return {
        {"self", url_or_null(regression_url(links, RegressionId{row.get<std::int64_t>(0)}))},
        {"culprit", url_or_null(commit_url(links, culprit))},
        {"parent", url_or_null(commit_url(links, parent))},
        {"range", url_or_null(range)},
        {"issue", url_or_null(is_plain_url(issue) ? issue : "")}};
}

nlohmann::json regression_json(const Query& row, const Config& config) {
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
        {"changed_at_s", row.get<std::int64_t>(14)},
        {"culprit_commit", culprit_commit(row)},
        {"links", links_json(row, config)}};
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

/// Those of the same confirmed series: another commit of the range moved it too.
nlohmann::json others_of(Database& db, std::int64_t regression) {
    auto ids = nlohmann::json::array();
    auto rows = db.query(
        "SELECT DISTINCT theirs.regression_id FROM regression_series AS mine"
        " JOIN regression_series AS theirs ON theirs.suspicion_id = mine.suspicion_id"
        " AND theirs.regression_id <> mine.regression_id"
        " WHERE mine.regression_id = ?1 ORDER BY theirs.regression_id LIMIT ?2",
        regression,
        max_page_size);
    while (rows.next()) ids.push_back(rows.get<std::int64_t>(0));
    return ids;
}

/// A commit that a text names; null where none is.
nlohmann::json mending_commit(const Mending& told) {
    if (told.revision.empty()) return nullptr;
    return {{"revision", told.revision.str()}, {"subject", told.subject}, {"author", told.author}};
}

nlohmann::json revision_or_null(const Revision& revision) {
    return revision.empty() ? nlohmann::json() : nlohmann::json(revision.str());
}

/// How its series came back; of a range whose commits are not listed yet the ends alone.
nlohmann::json mendings_of(Database& db, const Links& links, std::int64_t regression) {
    auto all = nlohmann::json::array();
    for (const auto& fact : list_mending_facts(db, RegressionId{regression})) {
        const Mending told = fact.told.value_or(Mending{});
        all.push_back(
            {{"nightly", fact.nightly.value},
             {"revision", fact.mended.str()},
             {"bad_nightly", fact.bad_nightly.value},
             {"bad_revision", fact.bad.str()},
             {"listed", fact.told.has_value()},
             {"by", told.by ? nlohmann::json(to_string(*told.by)) : nlohmann::json()},
             {"commit", mending_commit(told)},
             {"merge", revision_or_null(told.merge)},
             {"reverts", revision_or_null(told.reverts)},
             {"only", told.only},
             {"commits", told.line_commits},
             {"rewritten", told.rewritten},
             {"reason", told.unlisted},
             {"links",
              {{"commit", url_or_null(commit_url(links, told.revision))},
               {"range", url_or_null(range_url(links, fact.bad, fact.mended))}}}});
    }
    return all;
}

nlohmann::json earlier_of(Database& db, std::int64_t regression) {
    auto ids = nlohmann::json::array();
    for (const auto& earlier : list_earlier_facts(db, RegressionId{regression})) {
        ids.push_back(earlier.regression.value);
    }
    return ids;
}

/// What a person last said of it; null where nobody did.
nlohmann::json answer_of(Database& db, std::int64_t id) {
    auto rows = db.query(
        "SELECT kind, at_s, data FROM event WHERE subject = ?1"
        " AND json_extract(data, '$.by') IS NOT NULL ORDER BY id DESC LIMIT 1",
        "regression/" + std::to_string(id));
    if (!rows.next()) return nullptr;
    const auto data = stored_json(rows.get<std::string>(2));
    const auto text = [&](const char* key) {
        return data.is_object() && data.contains(key) && data.at(key).is_string()
                   ? data.at(key).get<std::string>()
                   : "";
    };
    const auto kind = rows.get<std::string>(0);
    return {
        {"state", kind.substr(kind.find('.') + 1)},
        {"by", text("by")},
        {"reason", text("reason")},
        {"at_s", rows.get<std::int64_t>(1)}};
}

nlohmann::json load_regression(Database& db, const Config& config, std::int64_t id) {
    auto rows = db.query(std::string(select_regression) + " WHERE regression.id = ?1", id);
    if (!rows.next()) throw_missing("regression", id);
    return regression_json(rows, config);
}

}  // namespace

http::Response list_regressions(
    const http::Request& request, Database& db, const HandlerContext& context) {
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
    const Filters filters(request, db, context.config);
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
        filters.project(),
        enum_filter<RegressionState>(request, "state"),
        enum_filter<Metric>(request, "metric"),
        filters.benchmark(),
        filters.nightly(),
        filters.id("bisection"),
        filters.culprit(),
        filters.since_s(),
        filters.until_s(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) {
        items.push_back(regression_json(rows, context.config));
        items.back()["series"] = series_of(db, rows.get<std::int64_t>(0));
    }
    return page_response(std::move(items), page);
}

http::Response get_regression(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    auto regression = load_regression(db, context.config, id);
    regression["series"] = series_of(db, id);
    regression["others"] = others_of(db, id);
    const auto links = links_of(context.config, regression.at("project").get<std::string>());
    regression["mendings"] = mendings_of(db, links, id);
    regression["earlier"] = earlier_of(db, id);
    regression["reports"] = reports_of(db, id);
    regression["answer"] = answer_of(db, id);
    const NightlyId nightly{regression.at("nightly").get<std::int64_t>()};
    regression["night_withdrawn"] = withdrawals_of(db, nightly);
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
    const bool needs_reason = wanted == RegressionState::accepted ||
                              wanted == RegressionState::refuted ||
                              wanted == RegressionState::reported;
    if (needs_reason && is_blank(reason)) {
        throw Error(
            Errc::invalid_argument,
            "body.reason is missing: say why regression " + std::to_string(id) + " is " +
                std::string(to_string(wanted)));
    }
    auto regression = load_regression(db, context.config, id);
    const auto state = parse_enum<RegressionState>(regression.at("state").get<std::string>());
    if (state != wanted) {
        if (!may_move_by_hand(state, wanted)) {
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
        if (wanted == RegressionState::reported) {
            // What had recovered is watched again, so that it can recover once more.
            db.execute(
                "UPDATE regression_series SET recovered_nightly_id = NULL WHERE regression_id = ?1",
                id);
        }
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
