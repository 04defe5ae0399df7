#include "service/watch/search/prior.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

#include "service/store/findings/bisections.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/store/series/values.hpp"

namespace vigil::service {

namespace {

// The plausible range holds what lies within two nats of the likeliest night.
constexpr double plausible = -1;
constexpr double implausible = -3;
// A culprit that other series have named, against all other commits together. The search softens
// it: what it gets before the first run is about a quarter.
constexpr double named_before = 3;
constexpr int nights_back = 64;
constexpr int nights_named = 14;

// What was suspected nights ago says it best then: the level that began has been taken for the new
// one since, where its session had to wait.
std::optional<FirstNight> load_first_night(
    Database& db, SuspicionId suspicion, NightlyId good, NightlyId bad) {
    const auto begun = find_suspected_since(db, suspicion, good);
    if (!begun) return std::nullopt;
    FirstNight known{{}, begun->since, begun->earliest, begun->latest};
    for (const auto& night : load_history(db, begun->series, bad, nights_back)) {
        known.measured.push_back(night.nightly);
    }
    return known;
}

}  // namespace

std::vector<double> weigh_nights(const std::vector<NightlyId>& nights, const FirstNight& known) {
    std::vector<double> weights;
    for (const auto night : nights) {
        const auto shows = std::lower_bound(known.measured.begin(), known.measured.end(), night);
        const bool seen = shows != known.measured.end();
        const bool within = seen && *shows >= known.earliest && *shows <= known.latest;
        const bool likeliest = seen && *shows == known.since;
        weights.push_back(std::exp(likeliest ? 0 : within ? plausible : implausible));
    }
    return weights;
}

std::vector<double> weigh_commits(
    const std::vector<WeighedCommit>& line,
    const std::vector<NightPrior>& nights,
    const std::vector<Revision>& named) {
    if (line.size() < 2) return {};
    std::map<Revision, std::size_t> place;
    for (std::size_t i = 1; i < line.size(); ++i) place.emplace(line[i].revision, i);
    std::vector<double> weights(line.size() - 1, 1);
    std::size_t done = 0;
    double pending = 0;  // of nights that are not on the line: the next one shows their commits too
    for (const auto& night : nights) {
        pending = std::max(pending, night.weight);
        const auto at = place.find(night.revision);
        if (at == place.end() || at->second <= done) continue;
        for (; done < at->second; ++done) weights[done] = pending;
        pending = 0;
    }
    for (std::size_t i = 1; i < line.size(); ++i) weights[i - 1] *= line[i].commits;
    double others = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (const auto& culprit : named) {
        const auto at = place.find(culprit);
        if (at != place.end()) weights[at->second - 1] = named_before * others;
    }
    const bool alike =
        std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>()) == weights.end();
    return alike ? std::vector<double>{} : weights;
}

std::vector<NightPrior> load_night_priors(
    Database& db, NightlyId good, NightlyId bad, const std::vector<SuspicionId>& suspicions) {
    const auto range = list_nights_between(db, good, bad);
    if (range.size() < 2) return {};
    std::vector<NightlyId> nights;
    for (const auto& night : range) nights.push_back(night.id);
    std::vector<double> sums(range.size(), 0);
    bool any = false;
    for (const auto suspicion : suspicions) {
        const auto known = load_first_night(db, suspicion, good, bad);
        // A night before the good one speaks of another change.
        if (!known || known->latest <= good) continue;
        const auto weights = weigh_nights(nights, *known);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weights[i];
        any = true;
    }
    if (!any) return {};
    const double most = *std::max_element(sums.begin(), sums.end());
    std::vector<NightPrior> priors;
    for (std::size_t i = 0; i < range.size(); ++i) {
        priors.push_back({range[i].revision, sums[i] / most});
    }
    return priors;
}

std::vector<Revision> list_named(Database& db, NightlyId nightly) {
    std::vector<Revision> named;
    const auto add = [&](const Revision& revision) {
        if (std::find(named.begin(), named.end(), revision) == named.end()) {
            named.push_back(revision);
        }
    };
    for (const auto& regression : list_named_before(db, nightly, nights_named)) {
        add(*regression.culprit);
        if (!regression.bisection) continue;
        for (const auto& inside : list_way_in(db, *regression.bisection)) add(inside.merge);
    }
    return named;
}

}  // namespace vigil::service
