#include "service/watch/series/case_runs.hpp"

#include <set>
#include <utility>

#include "schema/model/case_run.hpp"
#include "service/store/series/sessions.hpp"
#include "service/store/work/cases.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

bool can_run_alone(Database& db, const ProjectConfig& config, const SeriesRow& series) {
    if (series.case_name.empty() || is_external(config)) return false;
    const auto plan = find_benchmark(db, config, series.project, variant_of(series));
    if (!can_run_alone(plan)) return false;
    return !is_whole_case(
        db,
        {series.project,
         series.benchmark,
         series.variant,
         series.case_name,
         plan.cases->arguments});
}

std::map<SuspicionId, std::string> choose_cases_alone(
    Database& db, const ProjectConfig& config, const std::vector<OpenSuspicion>& open) {
    using Program = std::pair<ClassVariant, std::string>;  // with the old builds
    std::map<Program, std::set<std::string>> cases;
    for (const auto& one : open) {
        if (one.by_outcome || one.series.case_name.empty()) continue;
        cases[{variant_of(one.series), one.old_nights}].insert(one.series.case_name);
    }
    std::map<SuspicionId, std::string> alone;
    for (const auto& one : open) {
        const auto program = cases.find({variant_of(one.series), one.old_nights});
        if (one.by_outcome || one.series.case_name.empty()) continue;
        if (program->second.size() > most_cases_alone) continue;
        if (can_run_alone(db, config, one.series)) alone[one.id] = one.series.case_name;
    }
    return alone;
}

std::vector<std::string> choose_cases_alone(
    Database& db,
    const ProjectConfig& config,
    const std::vector<SeriesRow>& series,
    const std::vector<SessionId>& sessions) {
    std::map<ClassVariant, std::set<std::string>> cases;
    for (const auto& one : series) cases[variant_of(one)].insert(one.case_name);
    std::vector<std::string> alone;
    for (const auto& one : series) {
        const bool wanted = sessions.empty() ? cases[variant_of(one)].size() <= most_cases_alone
                                             : has_case_session(db, sessions, one);
        const bool is_alone = wanted && !one.case_name.empty() && can_run_alone(db, config, one);
        alone.push_back(is_alone ? one.case_name : "");
    }
    return alone;
}

}  // namespace vigil::service
