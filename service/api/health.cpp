#include "service/api/health.hpp"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "schema/model/job.hpp"
#include "schema/model/states.hpp"
#include "schema/model/version.hpp"

namespace vigil::service {

namespace {

/// Label values: our own enums and names; still quoted as the format asks.
std::string label(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

class Text {
  public:
    void begin(std::string_view name, std::string_view type, std::string_view help) {
        text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
        name_ = name;
    }
    void value(const std::string& labels, std::int64_t value) {
        text_ += fmt::format("{}{} {}\n", name_, labels.empty() ? "" : "{" + labels + "}", value);
    }
    void single(
        std::string_view name, std::string_view type, std::string_view help, std::int64_t number) {
        begin(name, type, help);
        value("", number);
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
    std::string name_;
};

/// One gauge with every state of an enum, those without rows as 0.
template <NamedEnum State>
void by_state(
    Text& text, Database& db, std::string_view name, std::string_view help, const char* sql) {
    std::map<std::string, std::int64_t> counts;
    auto rows = db.query(sql);
    while (rows.next()) counts[rows.get<std::string>(0)] = rows.get<std::int64_t>(1);
    text.begin(name, "gauge", help);
    for (const auto& [state, spelled] : EnumNames<State>::names) {
        text.value("state=" + label(spelled), counts[std::string(spelled)]);
    }
}

std::int64_t count(Database& db, const char* sql) {
    return db.find<std::int64_t>(sql).value_or(0);
}

void worker_metrics(Text& text, Database& db) {
    text.begin(
        "vigil_worker_contained",
        "gauge",
        "Whether a layer holds the jobs of a worker; 0: it told that it lacks it.");
    auto layers = db.query(
        "SELECT worker.name, layer.key, layer.value <> 'none' FROM worker,"
        " json_each(worker.containment) AS layer ORDER BY 1, 2");
    while (layers.next()) {
        text.value(
            "worker=" + label(layers.get<std::string>(0)) +
                ",layer=" + label(layers.get<std::string>(1)),
            layers.get<std::int64_t>(2));
    }
    text.begin("vigil_troubles", "gauge", "What is wrong and lasts, by kind.");
    auto troubles =
        db.query("SELECT kind, sum(ended_s IS NULL) FROM trouble GROUP BY kind ORDER BY kind");
    while (troubles.next()) {
        text.value("kind=" + label(troubles.get<std::string>(0)), troubles.get<std::int64_t>(1));
    }
}

void ledger_metrics(Text& text, Database& db, std::int64_t now_s) {
    by_state<JobState>(
        text, db, "vigil_jobs", "Jobs by state.", "SELECT state, count(*) FROM job GROUP BY state");
    by_state<SuspicionState>(
        text,
        db,
        "vigil_suspicions",
        "Suspicions by state.",
        "SELECT state, count(*) FROM suspicion GROUP BY state");
    by_state<Verdict>(
        text,
        db,
        "vigil_verdicts",
        "Suspicions that ended, by verdict.",
        "SELECT verdict, count(*) FROM suspicion WHERE verdict IS NOT NULL GROUP BY verdict");
    by_state<RegressionState>(
        text,
        db,
        "vigil_regressions",
        "Regressions by state.",
        "SELECT state, count(*) FROM regression GROUP BY state");
    by_state<BisectionState>(
        text,
        db,
        "vigil_bisections",
        "Bisections by state.",
        "SELECT state, count(*) FROM bisection GROUP BY state");
    text.single(
        "vigil_leases",
        "gauge",
        "Jobs that a worker holds.",
        count(db, "SELECT count(*) FROM job INDEXED BY job_leased WHERE state = 'leased'"));
    text.single(
        "vigil_lost_attempts_total",
        "counter",
        "Attempts whose lease expired.",
        count(db, "SELECT count(*) FROM attempt WHERE outcome = 'lost'"));
    text.single(
        "vigil_outbox_pending",
        "gauge",
        "Messages not sent yet.",
        count(db, "SELECT count(*) FROM outbox WHERE state = 'pending'"));
    text.single(
        "vigil_outbox_dead",
        "gauge",
        "Messages given up.",
        count(db, "SELECT count(*) FROM outbox WHERE state = 'dead'"));
    text.begin("vigil_nightly_age_seconds", "gauge", "Seconds since a project's newest nightly.");
    auto rows = db.query(
        "SELECT name, (SELECT max(created_at_s) FROM night WHERE project_id = project.id) "
        "FROM project ORDER BY name");
    while (rows.next()) {
        const auto newest_s = rows.get<std::optional<std::int64_t>>(1);
        if (!newest_s) continue;  // it has none yet
        text.value("project=" + label(rows.get<std::string>(0)), now_s - *newest_s);
    }
}

void edge_metrics(Text& text, const HttpCounters& counters) {
    text.begin("vigil_http_requests_total", "counter", "Answers by route and status.");
    for (const auto& [key, number] : counters.requests) {
        text.value(fmt::format("route={},status=\"{}\"", label(key.first), key.second), number);
    }
    text.single("vigil_http_connections", "gauge", "Connections open now.", counters.connections);
    text.single(
        "vigil_http_refused_connections_total",
        "counter",
        "Connections over the limit.",
        counters.refused_connections);
    text.single(
        "vigil_http_evicted_connections_total",
        "counter",
        "Connections that were closed for younger ones.",
        counters.evicted_connections);
    text.single(
        "vigil_waiting_claims", "gauge", "Workers that wait for a job.", counters.waiting_claims);
    text.begin("vigil_lane_waiting", "gauge", "Pieces of work on a lane's queue.");
    text.value("lane=\"writer\"", counters.writer_waiting);
    text.value("lane=\"reader\"", counters.reader_waiting);
    text.value("lane=\"content\"", counters.content_waiting);
}

}  // namespace

void check_ledger(Database& db) {
    db.find<std::int64_t>("SELECT count(*) FROM project");
    if (!db.in_transaction()) throw Error(Errc::unavailable, "the ledger takes no changes");
}

std::string readiness_text(Database& db) {
    std::string text = "ready\n";
    auto rows = db.query(
        "SELECT kind, count(*) FROM trouble WHERE ended_s IS NULL GROUP BY kind ORDER BY kind");
    while (rows.next()) {
        text += fmt::format("trouble {} {}\n", rows.get<std::string>(0), rows.get<std::int64_t>(1));
    }
    return text;
}

std::string metrics_text(Database& db, const HttpCounters& counters, std::int64_t now_s) {
    const Snapshot snapshot(db);
    Text text;
    text.begin("vigil_build_info", "gauge", "The program; always 1.");
    text.value(
        fmt::format("version=\"{}\",protocol=\"{}\"", program_version(), protocol_version), 1);
    ledger_metrics(text, db, now_s);
    worker_metrics(text, db);
    edge_metrics(text, counters);
    return text.take();
}

}  // namespace vigil::service
