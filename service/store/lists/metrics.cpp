#include "service/store/lists/metrics.hpp"

#include <algorithm>

#include "schema/model/job.hpp"
#include "schema/model/states.hpp"

namespace vigil::service {

namespace {

/// A statement's columns are labels by their names, the last one the value.
struct Counted {
    LedgerMetric metric;
    std::string_view sql;
    std::vector<std::string_view> states = {};  ///< those without rows are 0
};

template <NamedEnum State>
std::vector<std::string_view> states_of() {
    std::vector<std::string_view> all;
    for (const auto& [state, name] : enum_names<State>) all.push_back(name);
    return all;
}

/// What the ledger has by state.
std::vector<Counted> counted_states() {
    return {
        {{"vigil_jobs", "gauge", "Jobs by state."},
         "SELECT state, count(*) FROM job GROUP BY state",
         states_of<JobState>()},
        {{"vigil_suspicions", "gauge", "Suspicions by state."},
         "SELECT state, sum(number) FROM (SELECT state, count(*) AS number FROM suspicion"
         " GROUP BY state UNION ALL SELECT 'ended', count(*) FROM old_suspicion) GROUP BY state",
         states_of<SuspicionState>()},
        {{"vigil_verdicts", "gauge", "Suspicions that ended, by verdict."},
         "SELECT verdict AS state, sum(number) FROM (SELECT verdict, count(*) AS number"
         " FROM suspicion WHERE verdict IS NOT NULL GROUP BY verdict UNION ALL"
         " SELECT verdict, count(*) FROM old_suspicion GROUP BY verdict) GROUP BY verdict",
         states_of<Verdict>()},
        {{"vigil_regressions", "gauge", "Regressions by state."},
         "SELECT state, count(*) FROM regression GROUP BY state",
         states_of<RegressionState>()},
        {{"vigil_bisections", "gauge", "Bisections by state."},
         "SELECT state, count(*) FROM bisection GROUP BY state",
         states_of<BisectionState>()}};
}

/// Leases and messages.
std::vector<Counted> counted_work() {
    return {
        {{"vigil_leases", "gauge", "Jobs that a worker holds."},
         "SELECT count(*) FROM job INDEXED BY job_leased WHERE state = 'leased'"},
        {{"vigil_lost_attempts_total", "counter", "Attempts whose lease expired."},
         "SELECT count(*) FROM attempt WHERE outcome = 'lost'"},
        {{"vigil_outbox_pending", "gauge", "Messages not sent yet."},
         "SELECT count(*) FROM outbox WHERE state = 'pending'"},
        {{"vigil_outbox_dead", "gauge", "Messages given up."},
         "SELECT count(*) FROM outbox WHERE state = 'dead'"},
        {{"vigil_outbox_given_up", "gauge", "Messages given up that can be sent again."},
         "SELECT count(*) FROM (SELECT id FROM outbox WHERE state = 'dead' ORDER BY id DESC"
         " LIMIT 1000) AS newest CROSS JOIN given_up ON given_up.outbox_id = newest.id"}};
}

/// Ages, times and sizes.
std::vector<Counted> counted_sizes() {
    return {
        {{"vigil_nightly_age_seconds", "gauge", "Seconds since a project's newest nightly."},
         "SELECT name AS project, :now_s - newest_s FROM (SELECT name,"
         " (SELECT max(created_at_s) FROM night WHERE project_id = project.id) AS newest_s"
         " FROM project) WHERE newest_s IS NOT NULL ORDER BY name"},
        {{"vigil_night_seconds",
          "gauge",
          "Seconds from begin to end of a project's newest nightly that ended."},
         "SELECT name AS project, took_s FROM (SELECT name, (SELECT ended_at_s - created_at_s"
         " FROM night WHERE project_id = project.id AND ended_at_s IS NOT NULL"
         " ORDER BY id DESC LIMIT 1) AS took_s FROM project) WHERE took_s IS NOT NULL"
         " ORDER BY name"},
        {{"vigil_machine_seconds_total",
          "counter",
          "Seconds that workers spent on jobs, by the purpose of the job."},
         "SELECT project.name AS project, time.purpose, time.seconds FROM machine_time AS time"
         " JOIN project ON project.id = time.project_id ORDER BY 1, 2"},
        {{"vigil_ledger_bytes", "gauge", "Size of the ledger's file."},
         "SELECT count.page_count * size.page_size FROM pragma_page_count() AS count,"
         " pragma_page_size() AS size"}};
}

/// Workers, the self-test, and what is wrong.
std::vector<Counted> counted_health() {
    return {
        {{"vigil_worker_contained",
          "gauge",
          "Whether a layer holds the jobs of a worker; 0: it told that it lacks it."},
         "SELECT worker.name AS worker, layer.key AS layer, layer.value <> 'none'"
         " FROM worker, json_each(worker.containment) AS layer ORDER BY 1, 2"},
        {{"vigil_worker_silent_seconds", "gauge", "Seconds since an active worker was heard of."},
         "SELECT name AS worker, max(0, :now_s - last_seen_at_s) FROM worker"
         " WHERE state = 'active' ORDER BY name"},
        {{"vigil_self_tests",
          "gauge",
          "Planted regressions of the self-test of the last thirty nights, by state."},
         "SELECT state, count(*) FROM (SELECT state FROM self_test ORDER BY number DESC"
         " LIMIT 30) GROUP BY state",
         {"planting", "quiet", "waiting", "reported", "missed"}},
        {{"vigil_self_test_age_seconds",
          "gauge",
          "Seconds since the newest regression was planted that was reported."},
         "SELECT :now_s - planted_at_s FROM self_test INDEXED BY self_test_reported"
         " WHERE state = 'reported' ORDER BY planted_at_s DESC LIMIT 1"},
        {{"vigil_troubles", "gauge", "What is wrong and lasts, by kind."},
         "SELECT kind, sum(ended_s IS NULL) FROM trouble GROUP BY kind ORDER BY kind"}};
}

const std::vector<Counted>& all_counted() {
    static const std::vector<Counted> all = [] {
        std::vector<Counted> list;
        for (const auto& some :
             {counted_states(), counted_work(), counted_sizes(), counted_health()}) {
            list.insert(list.end(), some.begin(), some.end());
        }
        return list;
    }();
    return all;
}

LedgerMetric count(Database& db, const Counted& counted, std::int64_t now_s) {
    auto metric = counted.metric;
    for (const auto state : counted.states) {
        metric.samples.push_back({{{"state", std::string(state)}}, 0});
    }
    auto rows = db.query_named(counted.sql, [&](const auto&) { return now_s; });
    while (rows.next()) {
        MetricSample sample;
        for (int column = 0; column + 1 < rows.columns(); ++column) {
            sample.labels.emplace_back(rows.name(column), rows.get<std::string>(column));
        }
        sample.value = rows.get<std::int64_t>(rows.columns() - 1);
        const auto known = std::find_if(
            metric.samples.begin(), metric.samples.end(), [&](const MetricSample& one) {
                return one.labels == sample.labels;
            });
        if (known != metric.samples.end()) {
            *known = sample;
        } else if (counted.states.empty()) {
            metric.samples.push_back(sample);
        }
    }
    return metric;
}

}  // namespace

std::vector<LedgerMetric> load_metrics(Database& db, std::int64_t now_s) {
    std::vector<LedgerMetric> all;
    for (const auto& counted : all_counted()) all.push_back(count(db, counted, now_s));
    return all;
}

}  // namespace vigil::service
