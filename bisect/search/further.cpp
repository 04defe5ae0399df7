#include "bisect/search/further.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "bisect/search/rules.hpp"
#include "bisect/stats/distribution.hpp"

namespace vigil::search {

namespace {

/// Runs and builds, in runs, of the probes of one series.
struct Halves {
    double before = 0;  ///< up to and with a probe
    double after = 0;
};

Halves cost_around(const Problem& problem, const Facts& facts, int series, int last) {
    Halves cost;
    std::set<int> built{0, problem.suspects};
    for (int number = 0; number < static_cast<int>(facts.asked.size()); ++number) {
        const ProbeRequest& asked = facts.asked[static_cast<std::size_t>(number)];
        if (std::find(asked.series.begin(), asked.series.end(), series) == asked.series.end()) {
            continue;
        }
        double& half = number <= last ? cost.before : cost.after;
        half += static_cast<double>(asked.commits.size());
        for (const int commit : asked.commits) {
            if (built.insert(commit).second) half += problem.costs.build;
        }
    }
    return cost;
}

/// The newest probe that measured the two against each other for a series, to verify; -1: none.
int verified_by(const Facts& facts, const Line& line, int series, int before, int after) {
    const auto holds = [&](const ProbeRequest& asked, int commit) {
        return std::any_of(asked.commits.begin(), asked.commits.end(), [&](int one) {
            return line.place(one) == line.place(commit);
        });
    };
    for (int number = static_cast<int>(facts.asked.size()) - 1; number >= 0; --number) {
        const ProbeRequest& asked = facts.asked[static_cast<std::size_t>(number)];
        const bool mine =
            std::find(asked.series.begin(), asked.series.end(), series) != asked.series.end();
        if (mine && asked.purpose == ProbePurpose::verify && holds(asked, before) &&
            holds(asked, after))
            return number;
    }
    return -1;
}

/// The stretch between known changes that holds more of a further one than any other.
Remaining remaining(const Posterior& posterior, const Line& line, const std::vector<int>& known) {
    struct Stretch {
        int first = 0;
        int last = -1;  // gaps
        double sum = 0;
    };
    Stretch best;
    Stretch at;
    for (int gap = 0; gap < posterior.gaps(); ++gap) {
        if (std::find(known.begin(), known.end(), gap) != known.end()) {
            at = {gap + 1, gap, 0};
            continue;
        }
        at.last = gap;
        at.sum += posterior.notable(gap);
        if (at.sum > best.sum) best = at;
    }
    Remaining found;
    found.probability = std::min(best.sum, 1.0);
    const auto unlikely = [&](int gap) {
        return best.first < best.last && posterior.notable(gap) < (1 - credible_share) * best.sum;
    };
    while (unlikely(best.first)) ++best.first;
    while (unlikely(best.last)) --best.last;
    double weight = 0;
    double effect = 0;
    for (int gap = best.first; gap <= best.last; ++gap) {
        weight += posterior.notable(gap);
        effect += posterior.notable(gap) * posterior.effect(gap);
    }
    if (weight <= 0) return found;
    const auto& places = posterior.places();
    const int from = places[static_cast<std::size_t>(best.first)];
    const int to = places[static_cast<std::size_t>(best.last) + 1];
    found.first = line.first_suspect(from, to);
    found.last = line.last_suspect(from, to);
    found.change_ratio = std::expm1(effect / weight);
    return found;
}

}  // namespace

Remaining unexplained(
    const FittedLevels& levels,
    double rest_ratio,
    const Line& line,
    const std::vector<int>& known) {
    const double rest = std::log1p(rest_ratio);
    Remaining found;
    found.change_ratio = rest_ratio;
    double most = 0;
    std::size_t first = 0;
    for (std::size_t gap = 0; gap < levels.places.size(); ++gap) {
        const bool ends =
            gap + 1 == levels.places.size() ||
            std::find(known.begin(), known.end(), static_cast<int>(gap)) != known.end();
        if (!ends) continue;
        const double rise = levels.places[gap].above - levels.places[first].above;
        if (gap > first && (found.last == 0 || rise * (rest < 0 ? -1 : 1) > most)) {
            most = rise * (rest < 0 ? -1 : 1);
            const int from = levels.places[first].place;
            const int to = levels.places[gap].place;
            found.first = line.first_suspect(from, to);
            found.last = line.last_suspect(from, to);
        }
        first = gap + 1;
    }
    return found;
}

std::optional<Remaining> what_remains(
    const Posterior& posterior,
    const FittedLevels& levels,
    const Explained& explained,
    const Line& line,
    const std::vector<int>& known,
    bool likely) {
    if (!explained.has_rest() || (explained.enough() && !likely)) return std::nullopt;
    const double rest = explained.rest_ratio;
    Remaining found = likely ? remaining(posterior, line, known) : Remaining{};
    if (found.change_ratio * rest <= 0) found = unexplained(levels, rest, line, known);
    found.change_ratio = rest;
    return found;
}

bool is_enough_spent(const Problem& problem, const Facts& facts, int series) {
    auto last = static_cast<int>(facts.asked.size()) - 1;
    while (last >= 0 && facts.asked[static_cast<std::size_t>(last)].not_on.empty()) --last;
    const Halves cost = cost_around(problem, facts, series, last);
    return cost.after >= problem.budget.further * cost.before;
}

bool is_enough_spent(
    const Problem& problem,
    const Facts& facts,
    const Line& line,
    const SeriesEnding& culprit,
    const std::vector<SeriesEnding>& further) {
    const double share = problem.budget.further;
    if (share <= 0) return true;
    const auto by = [&](const SeriesEnding& one) {
        return verified_by(facts, line, one.series, one.parent, one.last);
    };
    int last = by(culprit);
    const double may_cost = share * cost_around(problem, facts, culprit.series, last).before;
    if (culprit.explained->has_rest()) {
        for (const SeriesEnding& one : further) last = std::max(last, by(one));
    }
    return cost_around(problem, facts, culprit.series, last).after >= may_cost;
}

bool may_be_a_rest(const Explained& explained, double error, const SeriesEvidence& evidence) {
    const double rest = std::abs(std::log1p(explained.rest_ratio));
    return rest >= std::max(evidence.least, error);
}

bool Explained::enough() const {
    return share >= rule.explains_enough && share <= 1 / rule.explains_enough;
}

bool Explained::has_rest() const {
    return rest_low > 0 || rest_high < 0;
}

Explained explain(double whole_ratio, std::span<const double> change_ratios, double error) {
    double known = 0;
    Explained explained;
    explained.whole_ratio = whole_ratio;
    for (const double ratio : change_ratios) {
        known += std::log1p(ratio);
        if (!std::isinf(ratio)) continue;
        explained.share = 1;  // from 0 on, nothing tells a part
        return explained;
    }
    const double whole = log_of_change(whole_ratio);
    explained.share = whole > 0 ? known / whole : 0;
    const double margin = stats::normal_95 * error;
    explained.rest_ratio = std::expm1(whole - known);
    explained.rest_low = std::expm1(whole - known - margin);
    explained.rest_high = std::expm1(whole - known + margin);
    return explained;
}

}  // namespace vigil::search
