#include "service/tables/notable.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"
#include "service/tables/rules.hpp"
#include "service/tables/ways.hpp"

namespace vigil::tables {

namespace {

constexpr double least_speedup = 0.95;
constexpr double longest_compile_s = 120;
constexpr double least_memory_ratio = 0.9;
constexpr std::size_t max_copies = 100;  // that are told

bool failed(const Result& result) {
    return !result.status.empty() && !is_passing(result);
}

/// How many results say it, by what they say.
using Said = std::map<std::string, std::size_t>;

std::string caveat_if(std::size_t count, const char* what) {
    if (count == 0) return "";
    return fmt::format("{}: {}.", text::counted(static_cast<std::int64_t>(count), "result"), what);
}

/// Times of one model and batch in all backends of one place, as they stand there.
struct TimedRow {
    std::string label;                    ///< everything but backend, model and batch
    std::map<std::string, double> times;  ///< by backend
};

/// Two places hardly measure the same digits of several backends.
std::vector<std::string> copied_rows(std::span<const Result> results) {
    std::vector<const Result*> timed;
    for (const auto& result : results) {
        if (result.get(Field::time_s)) timed.push_back(&result);
    }
    const Ways ways(timed, {Part::backend});
    std::map<std::pair<std::string, std::int64_t>, std::map<std::string, TimedRow>> rows;
    for (const auto* result : timed) {
        auto& row = rows[{result->model, result->batch}][ways.key(*result)];
        row.label = ways.label(*result);
        row.times[result->backend] = *result->get(Field::time_s);
    }
    std::vector<std::string> lines;
    for (const auto& [model, places] : rows) {
        std::map<std::map<std::string, double>, std::string> first;
        for (const auto& [place, row] : places) {
            const auto [known, is_new] = first.emplace(row.times, row.label);
            if (is_new || row.times.size() < 2) continue;
            lines.push_back(fmt::format(
                "{}{}: {} and {} have the same times: one row may be a copy of the other.",
                model.first,
                model.second == 0           ? ""
                : model.second == unbatched ? " (unbatched)"
                                            : fmt::format(" (batch {})", model.second),
                known->second,
                row.label));
            if (lines.size() >= max_copies) return lines;
        }
    }
    return lines;
}

}  // namespace

std::vector<std::string> flags_of(const Result& result) {
    std::vector<std::string> flags;
    const double speedup = result.get(Field::speedup).value_or(0);
    const double ratio = result.get(Field::memory_ratio).value_or(0);
    if (speedup > 0 && speedup < least_speedup) flags.emplace_back("slower");
    if (result.get(Field::compile_s).value_or(0) > longest_compile_s) {
        flags.emplace_back("long compile");
    }
    if (ratio > 0 && ratio < least_memory_ratio) flags.emplace_back("more memory");
    return flags;
}

std::vector<OutlierModel> outliers_of(std::span<const Result> results) {
    std::vector<const Result*> known;
    std::vector<double> logs;
    for (const auto& result : results) {
        if (failed(result) || result.get(Field::speedup).value_or(0) <= 0) continue;
        known.push_back(&result);
        logs.push_back(std::log(*result.get(Field::speedup)));
    }
    const auto off = spreads_off(logs);
    std::vector<OutlierModel> outliers;
    for (std::size_t i = 0; i < off.size(); ++i) {
        if (std::fabs(off[i]) <= outlier_spreads) continue;
        outliers.push_back({known[i]->model, *known[i]->get(Field::speedup), off[i]});
    }
    return outliers;
}

std::vector<std::string> machine_lines(std::span<const Result> results) {
    std::map<std::string, Said> said;
    for (const auto& result : results) {
        if (!result.version.empty()) ++said["LibTorch"][result.version];
        for (const char* fact : {"machine", "gpu", "driver"}) {
            const auto found = result.facts.find(fact);
            if (found != result.facts.end()) ++said[fact][found->second];
        }
    }
    std::vector<std::string> lines;
    for (const auto& [what, values] : said) {
        for (const auto& [value, count] : values) {
            lines.push_back(fmt::format(
                "{}: {} ({})",
                what,
                value,
                text::counted(static_cast<std::int64_t>(count), "result")));
        }
    }
    return lines;
}

std::vector<std::string> caveats_of(std::span<const Result> results, const std::string& base) {
    std::size_t uncounted = 0, unchecked = 0, leaking = 0, alone = 0, steady = 0;
    std::set<std::string> machines;
    for (const auto& result : results) {
        const auto fact = [&](const char* name) {
            const auto found = result.facts.find(name);
            return found == result.facts.end() ? std::string() : found->second;
        };
        if (is_in_no_total(result, base)) ++uncounted;
        if (!fact("unchecked").empty()) ++unchecked;
        if (fact("leak") == "leak") ++leaking;
        if (fact("warmup_steady") == "no") ++steady;
        if (!fact("machine").empty()) machines.insert(fact("machine"));
        const auto processes = result.metrics.find("measured_processes");
        if (processes != result.metrics.end() && processes->second < 2 && is_passing(result)) {
            ++alone;
        }
    }
    std::vector<std::string> caveats{
        caveat_if(uncounted, "cannot be run by the base either, in no total"),
        caveat_if(unchecked, "its answer was not checked"),
        caveat_if(leaking, "memory grows with every step"),
        caveat_if(steady, "warm-up ended before times were steady"),
        caveat_if(alone, "of one process, so nothing says how far another would lie off")};
    if (machines.size() > 1)
        caveats.emplace_back("Several machines: ratios between them are none of the code.");
    for (auto& copied : copied_rows(results)) caveats.push_back(std::move(copied));
    std::erase(caveats, "");
    return caveats;
}

void sort_best_first(std::vector<const Result*>& results) {
    const auto rank = [](const Result* one) {
        const double speedup = one->get(Field::speedup).value_or(0);
        return std::pair(failed(*one) ? 2 : speedup > 0 ? 0 : 1, -speedup);
    };
    std::stable_sort(results.begin(), results.end(), [&](const Result* a, const Result* b) {
        return rank(a) < rank(b);
    });
}

}  // namespace vigil::tables
