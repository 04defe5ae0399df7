#include "service/store/findings/requests.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"
#include "service/store/json_column.hpp"
#include "service/store/json_columns.hpp"
#include "service/store/work/jobs.hpp"

namespace vigil::service {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RequestedVariant, benchmark, variant, machine_class)

static void to_json(nlohmann::json& value, const RequestedMeasurement& asked) {
    value = {{"variants", asked.variants}, {"runs", asked.runs}};
    if (asked.metric) value["metric"] = to_string(*asked.metric);
    if (asked.threshold) value["threshold"] = *asked.threshold;
    if (asked.series) value["series"] = *asked.series;
    if (asked.max_probes) value["max_probes"] = *asked.max_probes;
    if (!asked.case_name.empty()) value["case"] = asked.case_name;
    if (asked.in_background) value["background"] = true;
}

static void from_json(const nlohmann::json& value, RequestedMeasurement& asked) {
    value.at("variants").get_to(asked.variants);
    value.at("runs").get_to(asked.runs);
    if (value.contains("metric")) {
        asked.metric = parse_enum<Metric>(value.at("metric").get<std::string>());
    }
    if (value.contains("threshold")) asked.threshold = value.at("threshold").get<double>();
    if (value.contains("series")) asked.series = value.at("series").get<SeriesId>();
    if (value.contains("max_probes")) asked.max_probes = value.at("max_probes").get<int>();
    asked.case_name = value.value("case", "");
    asked.in_background = value.value("background", false);
}

template <>
constexpr const char* column_of<RequestedMeasurement> = "request.asked";
template struct JsonColumn<RequestedMeasurement>;

Priority RequestedMeasurement::priority() const {
    return max_probes || in_background ? Priority::improvement : Priority::request;
}

RequestId add_request(Database& db, const NewRequest& request, std::int64_t now_s) {
    const auto id = db.insert<RequestId>(
        "INSERT INTO request(project_id, kind, state, a, b, a_build_id, b_build_id, asked, token, "
        "traceparent, created_at_s) "
        "VALUES (?1, ?2, 'naming', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        request,
        now_s);
    auto words = std::string(to_string(request.kind)) + " of " + request.a;
    if (request.kind != RequestKind::run) words += " and " + request.b;
    words += ", asked for by " + request.token;
    record_event(db, now_s, "request.naming", request.project, "request/" + to_string(id), words);
    return id;
}

RequestRow load_request(Database& db, RequestId request) {
    return db.load<RequestRow>(
        "request",
        "SELECT id, project_id, kind, state, a_build_id, b_build_id, asked, bisection_id "
        "FROM request WHERE id = ?1",
        request);
}

std::vector<RequestId> list_open_requests(Database& db, int limit) {
    return db.all<RequestId>(
        "SELECT id FROM request WHERE state IN {open_requests} ORDER BY id LIMIT ?1", limit);
}

std::optional<RequestId> find_request_of(Database& db, BisectionId bisection) {
    return db.find<RequestId>("SELECT id FROM request WHERE bisection_id = ?1", bisection);
}

void move_request(
    Database& db,
    RequestId request,
    RequestState to,
    std::string_view message,
    std::int64_t now_s) {
    const auto from =
        db.load<RequestState>("request", "SELECT state FROM request WHERE id = ?1", request);
    check_move("request", request, from, to);
    db.execute(
        "UPDATE request SET state = ?2, message = ?3, ended_at_s = ?4 WHERE id = ?1",
        request,
        to,
        message,
        is_over(to) ? std::optional(now_s) : std::nullopt);
    const auto project =
        db.find<ProjectId>("SELECT project_id FROM request WHERE id = ?1", request);
    const auto kind = "request." + std::string(to_string(to));
    record_event(db, now_s, kind, project, "request/" + to_string(request), message);
}

std::string find_request_message(Database& db, RequestId request) {
    return db.find<std::string>("SELECT message FROM request WHERE id = ?1", request).value_or("");
}

int add_try(Database& db, RequestId request) {
    const auto before = db.find<int>("SELECT tries FROM request WHERE id = ?1", request);
    db.execute("UPDATE request SET tries = tries + 1 WHERE id = ?1", request);
    return before.value_or(0);
}

void end_tries(Database& db, RequestId request) {
    db.execute("UPDATE request SET tries = 0 WHERE id = ?1", request);
}

void note_bisection(Database& db, RequestId request, BisectionId bisection) {
    db.execute("UPDATE request SET bisection_id = ?2 WHERE id = ?1", request, bisection);
}

std::optional<BisectionId> find_bisection_of(Database& db, RequestId request) {
    return db.find<BisectionId>("SELECT bisection_id FROM request WHERE id = ?1", request);
}

std::vector<MissingName> list_missing_names(
    Database& db, int limit, std::optional<ProjectId> project) {
    return db.all<MissingName>(
        "SELECT id, iif(a_build_id IS NULL, a, b) FROM request WHERE state = 'naming' "
        "AND (a_build_id IS NULL OR b_build_id IS NULL) AND (?2 IS NULL OR project_id = ?2) "
        "ORDER BY id LIMIT ?1",
        limit,
        project);
}

void note_build(Database& db, RequestId request, const std::string& name, BuildId build) {
    db.execute(
        "UPDATE request SET a_build_id = iif(a = ?2, ?3, a_build_id), "
        "b_build_id = iif(b = ?2, ?3, b_build_id) WHERE id = ?1",
        request,
        name,
        build);
}

std::vector<NamedBuild> list_builds_named(
    Database& db, ProjectId project, const std::string& name, int limit) {
    if (name.starts_with("build/")) {
        return db.all<NamedBuild>(
            "SELECT id, revision FROM build WHERE id = ?2 AND project_id = ?1",
            project,
            name.substr(name.find('/') + 1));
    }
    // A night is called by its day, the first of a day also with .1: both begin with the day.
    const std::string begin = name.ends_with(".1") ? name.substr(0, name.size() - 2) : name;
    auto found = db.all<NamedBuild>(
        "SELECT build_id, revision FROM nightly WHERE project_id = ?1 AND version = ?2 "
        "UNION SELECT build_id, revision FROM nightly WHERE project_id = ?1 AND name >= ?3 "
        "AND name < ?3 || '/' AND ?2 IN (name, day, day || iif(name = day, '.1', '')) "
        "ORDER BY 1 LIMIT ?4",
        project,
        name,
        begin,
        limit);
    if (!found.empty() || !is_lower_hex(name)) return found;
    return db.all<NamedBuild>(
        "SELECT max(id), revision FROM build WHERE project_id = ?1 AND revision >= ?2 "
        "AND revision < ?2 || 'g' GROUP BY revision ORDER BY revision LIMIT ?3",
        project,
        name,
        limit);
}

SessionId add_request_session(
    Database& db,
    const RequestRow& request,
    const RequestedVariant& variant,
    MachineClassId machine_class,
    const std::string& case_name,
    std::int64_t now_s) {
    return db.insert<SessionId>(
        "INSERT INTO session(project_id, a_build_id, b_build_id, benchmark, variant, "
        "machine_class_id, request_id, state, created_at_s, old_nights, case_name) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', ?8, '[]', ?9)",
        request.project,
        request.a_build,
        request.b_build,
        variant.benchmark,
        variant.variant,
        machine_class,
        request.id,
        now_s,
        case_name);
}

std::vector<RequestSession> list_request_sessions(Database& db, RequestId request) {
    return db.all<RequestSession>(
        "SELECT id, state = 'open', message FROM session WHERE request_id = ?1 ORDER BY id",
        request);
}

std::optional<std::string> find_session_message(Database& db, SessionId session) {
    return db.find<std::string>(
        "SELECT message FROM job WHERE session_id = ?1 AND message <> '' ORDER BY id DESC LIMIT 1",
        session);
}

void end_request_session(Database& db, SessionId session, const std::string& message) {
    db.execute("UPDATE session SET state = 'done', message = ?2 WHERE id = ?1", session, message);
}

std::vector<JobId> list_open_jobs(Database& db, RequestId request) {
    return db.all<JobId>(
        "SELECT j.id FROM session x CROSS JOIN job j ON j.session_id = x.id "
        "WHERE x.request_id = ?1 AND j.state IN {open_jobs} ORDER BY j.id",
        request);
}

std::vector<JobId> list_open_jobs(Database& db, BisectionId bisection) {
    return db.all<JobId>(
        "SELECT j.id FROM probe p CROSS JOIN job j ON j.probe_id = p.id WHERE p.bisection_id = ?1 "
        "AND j.state IN {open_jobs} ORDER BY j.id",
        bisection);
}

std::int64_t count_runs(Database& db, RequestId request) {
    return *db.find<std::int64_t>(
        "SELECT count(*) FROM session x CROSS JOIN job j ON j.session_id = x.id "
        "CROSS JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt WHERE x.request_id = ?1",
        request);
}

void note_verdict(Database& db, SessionId session, const SessionVerdict& verdict) {
    db.execute(
        "INSERT INTO request_verdict(session_id, series_id, verdict, comparison, reason) "
        "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT(session_id, series_id) DO UPDATE SET "
        "verdict = ?3, comparison = ?4, reason = ?5",
        session,
        verdict);
}

std::vector<SessionVerdict> list_session_verdicts(Database& db, SessionId session) {
    return db.all<SessionVerdict>(
        "SELECT series_id, verdict, comparison, reason FROM request_verdict "
        "WHERE session_id = ?1 ORDER BY series_id",
        session);
}

}  // namespace vigil::service
