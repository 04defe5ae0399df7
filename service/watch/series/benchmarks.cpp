#include "service/watch/series/benchmarks.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"

namespace vigil::service {

BenchmarkPlan find_benchmark(
    Database& db,
    const ProjectConfig& config,
    ProjectId project,
    const std::string& benchmark,
    const std::string& variant) {
    for (const auto& [name, plans] : config.suites) {
        for (const auto& plan : plans) {
            if (plan.benchmark == benchmark && plan.variant == variant) return plan;
        }
    }
    auto rows = db.query(
        "SELECT j.plan FROM (SELECT (SELECT MAX(m.run_id) FROM measurement m "
        "WHERE m.series_id = s.id) AS newest FROM series s WHERE s.project_id = ?1 "
        "AND s.benchmark = ?2 AND s.variant = ?3) CROSS JOIN run r ON r.id = newest "
        "CROSS JOIN job j ON j.id = r.job_id ORDER BY r.id DESC LIMIT 1",
        project,
        benchmark,
        variant);
    if (rows.next()) {
        const auto plan =
            wire::parse_job_plan(wire::parse_json(rows.get<std::string>(0), "job.plan"));
        for (const auto& candidate : plan.benchmarks) {
            if (candidate.benchmark == benchmark && candidate.variant == variant) return candidate;
        }
    }
    throw Error(
        Errc::not_found,
        "there is no benchmark " + benchmark + " " + variant + " in project " + config.name +
            ", and none was ever run");
}

}  // namespace vigil::service
