#include "service/tables/breakdown.hpp"

#include <algorithm>
#include <cmath>

namespace vigil::tables {

namespace {

constexpr double rounding_of_shares = 0.02;

bool has_a_share(const Result& result) {
    return result.get(Field::active) || result.get(Field::movement) || result.get(Field::idle);
}

std::string why_no_share(const Result& result) {
    if (!result.status.empty() && !is_passing(result)) return result.status;
    const auto active = result.get(Field::active);
    const auto movement = result.get(Field::movement);
    const auto idle = result.get(Field::idle);
    if (!active || !movement || !idle) return "a share is missing";
    const double least = std::min({*active, *movement, *idle});
    const bool whole = std::fabs(*active + *movement + *idle - 1) <= rounding_of_shares;
    return whole && least >= 0 ? "" : "its shares do not sum to 1";
}

struct Sums {
    std::map<std::string, Shares> modes;

    void add(const Result& result) {
        Shares& sum = modes[result.mode];
        sum.active += *result.get(Field::active);
        sum.movement += *result.get(Field::movement);
        sum.idle += *result.get(Field::idle);
        ++sum.models;
    }

    BreakdownRow row(const std::string& domain) const {
        BreakdownRow row{domain, modes};
        for (auto& [mode, shares] : row.modes) {
            const auto models = static_cast<double>(shares.models);
            shares.active /= models;
            shares.movement /= models;
            shares.idle /= models;
        }
        return row;
    }
};

int mode_rank(const std::string& mode) {
    return mode == "train" ? 0 : mode == "infer" ? 1 : 2;
}

}  // namespace

Breakdown make_breakdown(const std::vector<Result>& results) {
    Breakdown breakdown;
    std::vector<std::string> domains;
    std::map<std::string, Sums> sums;
    Sums all;
    for (const auto& result : results) {
        if (!has_a_share(result)) continue;
        const std::string why = why_no_share(result);
        if (!why.empty()) {
            breakdown.left_out.push_back({result.model, why});
            continue;
        }
        if (!sums.contains(result.domain)) domains.push_back(result.domain);
        sums[result.domain].add(result);
        all.add(result);
    }
    for (const auto& [mode, shares] : all.modes) breakdown.modes.push_back(mode);
    std::stable_sort(
        breakdown.modes.begin(), breakdown.modes.end(), [](const auto& a, const auto& b) {
            return mode_rank(a) < mode_rank(b);
        });
    for (const auto& domain : domains) {
        breakdown.rows.push_back(sums[domain].row(domain.empty() ? "not said" : domain));
    }
    if (domains.size() > 1) breakdown.rows.push_back(all.row("all"));
    return breakdown;
}

}  // namespace vigil::tables
