#include "service/tables/dashboard.hpp"

#include <map>

#include "service/tables/ways.hpp"

namespace vigil::tables {

namespace {

std::string pair_key(const Ways& ways, const Result& result) {
    return ways.key(result) + result.model + '\n' + std::to_string(result.batch);
}

void take_ratio(Result& result, const Result& base, Field from, Field into) {
    const double mine = result.get(from).value_or(0);
    const double other = base.get(from).value_or(0);
    if (mine > 0 && other > 0) result.values.emplace(into, other / mine);
}

bool is_compared(const Result& result, const std::string& base) {
    if (!result.backend.empty() && result.backend == base) return false;
    return result.get(Field::speedup) || result.get(Field::memory_ratio) ||
           result.get(Field::compile_s) || !result.status.empty();
}

std::vector<const Result*> pointers_to(const std::vector<Result>& results) {
    std::vector<const Result*> pointers;
    for (const auto& result : results) pointers.push_back(&result);
    return pointers;
}

}  // namespace

std::vector<Result> with_ratios(const std::vector<Result>& results, const std::string& base) {
    const auto all = pointers_to(results);
    const Ways ways(all, {Part::backend});
    std::map<std::string, const Result*> bases;
    for (const auto& result : results) {
        if (result.backend == base) bases.emplace(pair_key(ways, result), &result);
    }
    std::vector<Result> paired = results;
    for (auto& result : paired) {
        if (result.backend == base) continue;
        const auto found = bases.find(pair_key(ways, result));
        if (found == bases.end()) continue;
        const Result& against = *found->second;
        const bool base_failed = !against.status.empty() && !is_passing(against);
        if (base_failed && is_unsupported(result.status)) {
            result.status = status_of_both(result.status, base);
        } else if (base_failed && (result.status.empty() || is_passing(result))) {
            result.status = base + ": " + against.status;
        }
        take_ratio(result, against, Field::time_s, Field::speedup);
        take_ratio(result, against, Field::cpu_time_s, Field::cpu_speedup);
        take_ratio(result, against, Field::peak_bytes, Field::memory_ratio);
    }
    return paired;
}

std::vector<DashboardSuite> make_dashboard(
    const std::vector<Result>& results, const std::string& base, std::span<const Rule> rules) {
    std::vector<const Result*> compared;
    for (const auto& result : results) {
        if (is_compared(result, base)) compared.push_back(&result);
    }
    if (compared.empty()) {  // where nothing is held against the base, it has a pass rate itself
        for (const auto& result : results) {
            if (!result.status.empty()) compared.push_back(&result);
        }
    }
    std::vector<DashboardSuite> suites;
    for (const auto& group : group_by_way(compared, {})) {
        DashboardSuite suite;
        suite.label = group.label;
        for (const auto* result : group.results) suite.rows.push_back(*result);
        for (const Rule rule : rules)
            suite.headlines.push_back(headline_of(group.results, rule, base));
        suites.push_back(std::move(suite));
    }
    return suites;
}

}  // namespace vigil::tables
