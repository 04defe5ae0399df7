#include "service/watch/series/benchmarks.hpp"

#include "schema/model/case_run.hpp"
#include "schema/model/error.hpp"
#include "service/store/ids.hpp"
#include "service/store/series/series.hpp"

namespace vigil::service {

BenchmarkPlan find_benchmark(
    Database& db, const ProjectConfig& config, ProjectId project, const ClassVariant& wanted) {
    const auto& [benchmark, variant, machine_class] = wanted;
    for (const auto& [name, plans] : config.suites) {
        for (const auto& plan : plans) {
            if (plan.benchmark != benchmark || plan.variant != variant) continue;
            if (plan.launch || config.launches.empty()) return plan;
            return launched(plan, config, load_machine_class_name(db, machine_class));
        }
    }
    for (const auto& plan : list_newest_plan(db, project, benchmark, variant)) {
        if (plan.benchmark == benchmark && plan.variant == variant) return of_all_cases(plan);
    }
    throw Error(
        Errc::not_found,
        "there is no benchmark " + benchmark + " " + variant + " in project " + config.name +
            ", and none was ever run");
}

}  // namespace vigil::service
