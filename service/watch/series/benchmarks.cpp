#include "service/watch/series/benchmarks.hpp"

#include "schema/model/error.hpp"
#include "service/store/series/series.hpp"

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
    for (const auto& plan : list_newest_plan(db, project, benchmark, variant)) {
        if (plan.benchmark == benchmark && plan.variant == variant) return plan;
    }
    throw Error(
        Errc::not_found,
        "there is no benchmark " + benchmark + " " + variant + " in project " + config.name +
            ", and none was ever run");
}

}  // namespace vigil::service
