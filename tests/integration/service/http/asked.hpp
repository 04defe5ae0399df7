#pragma once

#include <string>

#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

// Every route by which something is asked to be measured, each once.

namespace vigil::service::testing {

inline void measure_small(Config& config) {
    auto& project = config.projects.at("demo");
    project.suites["core"] = small_plan().benchmarks;
    project.matrix.push_back({"core", {"small"}});
}

/// A night after all of them, in which the series 1 has a value as in the one before.
inline void add_later_night(Database& db) {
    db.execute("UPDATE withdrawal SET restored_at_s = 1 WHERE restored_at_s IS NULL");
    db.execute(
        "INSERT INTO nightly (project_id, build_id, version, day, revision, state, created_at_s, "
        "ended_at_s) SELECT 1, id, 'later', '2024-01-03', revision, 'done', 500, 600 FROM build "
        "WHERE id = 1");
    db.execute(
        "INSERT INTO night_value(series_id, nightly_id, run_id, worker_id, environment_id, "
        "median, spread, count) SELECT 1, n.id, r.id, r.worker_id, NULL, 1e6, 0, 1 FROM nightly "
        "n, "
        "run r WHERE r.id = 1 AND n.id >= (SELECT max(id) - 1 FROM nightly)");
}

/// Somebody tells of a regression that was not found, and takes it back.
/// @param call  is told method, pattern, path and body
template <class Call>
void tell_missed_regressions(Service& service, const Call& call) {
    service.change([](Database& db) {
        add_later_night(db);
        return 0;
    });
    const std::string base = "/api/v1/";
    const std::string since = R"({"since":"2024-01-03","reason":"users say so"})";
    call("POST", base + "series/{id}/missed", base + "series/1/missed", since);
    call("GET", base + "missed", base + "missed?state=measuring&series=1", std::string());
    call("GET", base + "missed/{id}", base + "missed/1", std::string());
    call("DELETE", base + "missed/{id}", base + "missed/1", std::string());
}

/// @param call  is told method, pattern, path and body
template <class Call>
void ask_for_measurements(Service& service, const Call& call) {
    const std::string base = "/api/v1/";
    const auto post = [&](const std::string& pattern, std::string path, const std::string& body) {
        path = path.empty() ? pattern : path;
        call("POST", base + pattern, base + path, body);
    };
    post("runs", "", R"({"project":"demo","revision":"aaaa"})");
    post("comparisons", "", R"({"project":"demo","a":"aaaa","b":"tip","runs":2})");
    post("bisections", "", R"({"project":"demo","good":"aaaa","bad":"bbbb","series":1})");
    service.change([](Database& db) {
        db.execute(
            "INSERT INTO session(project_id, a_build_id, b_build_id, benchmark, variant, "
            "machine_class_id, request_id, state, created_at_s) "
            "SELECT project_id, id, id, 'sum', 'train', 1, 3, 'open', 1 FROM build WHERE id = 1");
        db.execute("UPDATE job SET session_id = (SELECT max(id) FROM session) WHERE id = 1");
        db.execute(
            "INSERT INTO request_verdict SELECT max(id), 1, 'regression', '{}', 'worse' "
            "FROM session");
        return 0;
    });
    for (const std::string id : {"2", "3"}) {
        call("GET", base + "requests/{id}", base + "requests/" + id, std::string());
    }
    call("GET", base + "requests", base + "requests?kind=run&state=naming", std::string());
    post("requests/{id}/cancel", "requests/1/cancel", "");
    service.change([](Database& db) {
        db.execute("UPDATE nightly SET state = 'measuring' WHERE id = 1");
        return db.execute("UPDATE job SET nightly_id = 1 WHERE id = 2");
    });
    post("jobs/{id}/retry", "jobs/2/retry", "");
    post("bisections/{id}/cancel", "bisections/1/cancel", "");
}

}  // namespace vigil::service::testing
