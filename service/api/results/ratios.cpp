#include "service/api/results/ratios.hpp"

#include <nlohmann/json.hpp>

#include "service/store/lists/suite.hpp"
#include "service/tables/summary.hpp"

namespace vigil::service {

std::vector<tables::NightRatio> night_ratios_of(
    Database& db, NightlyId nightly, const std::string& project) {
    const std::string base = tables::plain_backend;
    tables::NightResults results;
    const auto run_of = [&](const auto& row, const std::string& outcome) {
        return tables::NightRun{
            project + " on " + row.machine_class, row.benchmark, row.variant, outcome};
    };
    for (const auto& row : list_suite_outcomes(db, nightly)) results.add(run_of(row, row.outcome));
    for (const auto& row : list_suite_said(db, nightly)) {
        auto run = run_of(row, "passed");
        run.said = {{row.name, row.value, row.text}};
        results.add(run);
    }
    if (results.are_compared(base)) {
        for (const auto& row : list_suite_medians(db, nightly)) {
            auto run = run_of(row, "passed");
            run.medians = {{row.metric, row.unit, row.value}};
            results.add(run);
        }
    }
    return tables::night_ratios(results.results(), base, tables::Rule::hud_v2);
}

nlohmann::json ratios_json(const std::vector<tables::NightRatio>& ratios) {
    auto all = nlohmann::json::array();
    for (const auto& [way, headline] : ratios) {
        auto& one = all.emplace_back(headline);
        one["way"] = way;
        one["base"] = tables::plain_backend;
    }
    return all;
}

}  // namespace vigil::service
