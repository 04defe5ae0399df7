#include "service/watch/search/prior.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

#include "service/store/findings/bisections.hpp"
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

struct RangeNight {
    NightlyId id;
    Revision revision;
};

std::vector<RangeNight> list_range(Database& db, NightlyId good, NightlyId bad) {
    std::vector<RangeNight> nights;
    auto rows = db.query(
        "SELECT n.id, n.revision FROM night n JOIN nightly b ON b.id = ?2 "
        "AND b.project_id = n.project_id WHERE n.id > ?1 AND n.id <= ?2 ORDER BY n.id",
        good,
        bad);
    while (rows.next()) nights.push_back({rows.get<NightlyId>(0), rows.get<Revision>(1)});
    return nights;
}

// What was suspected nights ago says it best then: the level that began has been taken for the new
// one since, where its session had to wait.
std::optional<FirstNight> load_first_night(
    Database& db, SuspicionId suspicion, NightlyId good, NightlyId bad) {
    FirstNight known;
    SeriesId series;
    {
        auto rows = db.query(
            "SELECT w.series_id, w.since_nightly_id, w.since_earliest_id, w.since_latest_id "
            "FROM suspicion u JOIN suspicion w ON w.series_id = u.series_id AND w.kind = 'level' "
            "AND w.id <= u.id AND w.nightly_id > ?2 WHERE u.id = ?1 "
            "AND w.since_nightly_id IS NOT NULL ORDER BY w.id DESC LIMIT 1",
            suspicion,
            good);
        if (!rows.next()) return std::nullopt;
        series = rows.get<SeriesId>(0);
        known.since = rows.get<NightlyId>(1);
        known.earliest = rows.get<NightlyId>(2);
        known.latest = rows.get<NightlyId>(3);
    }
    for (const auto& night : load_history(db, series, bad, nights_back)) {
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
    const std::vector<Revision>& line,
    const std::vector<NightPrior>& nights,
    const std::vector<Revision>& named) {
    if (line.size() < 2 || (nights.empty() && named.empty())) return {};
    std::map<Revision, std::size_t> place;
    for (std::size_t i = 1; i < line.size(); ++i) place.emplace(line[i], i);
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
    const auto range = list_range(db, good, bad);
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
    struct Named {
        Revision culprit;
        std::optional<BisectionId> bisection;
    };
    std::vector<Named> found;
    {
        auto rows = db.query(
            "SELECT r.culprit, r.bisection_id FROM regression r JOIN nightly t ON t.id = ?1 "
            "AND t.project_id = r.project_id WHERE r.culprit IS NOT NULL AND r.nightly_id < ?1 "
            "AND r.state IN ('attributed', 'reported', 'acknowledged') "
            "AND r.nightly_id >= ifnull((SELECT n.id FROM night n "
            "WHERE n.project_id = t.project_id AND n.id < ?1 ORDER BY n.id DESC "
            "LIMIT 1 OFFSET ?2), 0) ORDER BY r.id",
            nightly,
            nights_named - 1);
        while (rows.next()) {
            found.push_back({rows.get<Revision>(0), rows.get<std::optional<BisectionId>>(1)});
        }
    }
    std::vector<Revision> named;
    const auto add = [&](const Revision& revision) {
        if (std::find(named.begin(), named.end(), revision) == named.end()) {
            named.push_back(revision);
        }
    };
    for (const auto& one : found) {
        add(one.culprit);
        for (auto at = one.bisection; at;) {
            const auto inside = find_inside(db, *at);
            if (inside) add(inside->merge);
            at = inside ? std::optional(inside->outer) : std::nullopt;
        }
    }
    return named;
}

}  // namespace vigil::service
