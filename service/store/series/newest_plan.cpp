#include "service/store/series/newest_plan.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"

namespace vigil::service {

std::vector<BenchmarkPlan> list_newest_plan(
    Database& db, ProjectId project, const std::string& benchmark, const std::string& variant) {
    const auto plan = db.find<std::string>(
        "SELECT j.plan FROM (SELECT (SELECT MAX(m.run_id) FROM measurement m "
        "WHERE m.series_id = s.id) AS newest FROM series s WHERE s.project_id = ?1 "
        "AND s.benchmark = ?2 AND s.variant = ?3) CROSS JOIN run r ON r.id = newest "
        "CROSS JOIN job j ON j.id = r.job_id ORDER BY r.id DESC LIMIT 1",
        project,
        benchmark,
        variant);
    if (!plan) return {};
    return wire::parse_job_plan(wire::parse_json(*plan, "job.plan")).benchmarks;
}

}  // namespace vigil::service
