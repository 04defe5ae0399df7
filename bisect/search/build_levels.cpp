#include "bisect/search/build_levels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "bisect/search/rules.hpp"
#include "bisect/stats/distribution.hpp"

namespace vigil::search {

namespace {

/// @param near  where they lie about: outliers weigh little, and runs of the upper mode count lower
std::optional<OwnRuns> own_runs(
    const SeriesEvidence& evidence, double noise, int place, double near) {
    const Modes& modes = evidence.modes;
    std::map<int, double> sessions;  // weight by session, whose runs share the error of its offset
    double weights = 0, sum = 0, squares = 0;
    for (const Run& run : evidence.runs) {
        if (run.place != place) continue;
        const double above = run.z - run.offset - near;
        const double upper = modes.two() ? upper_share(modes, above) : 0;
        const double away = above - modes.gap * upper;
        const double weight = stats::t4_weight(away * away / (noise * noise));
        const double of_run =
            robust_price * noise * noise + modes.gap * modes.gap * upper * (1 - upper);
        double& of_session = sessions[run.session];
        squares += weight * weight * of_run;
        squares += (2 * of_session + weight) * weight * run.variance;
        of_session += weight;
        weights += weight;
        sum += weight * away;
    }
    if (weights <= 0) return std::nullopt;
    return OwnRuns{near + sum / weights, squares / (weights * weights)};
}

}  // namespace

CommitLevels levels_of_build(CommitLevels levels, const OwnRuns* own) {
    for (std::size_t k = 0; k < levels.p.size(); ++k) {
        double& mean = levels.mean[k];
        double& variance = levels.variance[k];
        const double layout = levels.layout[k];
        if (variance <= 0) continue;
        if (own == nullptr) {
            variance += layout;
            continue;
        }
        // Precision of the level without these runs, then of the build with them.
        const double others = std::max(1 / variance - 1 / (own->variance + layout), 0.0);
        const double wider = 1 + others * layout;
        const double all = others / wider + 1 / own->variance;
        mean = own->mean + (mean - own->mean) / (variance * wider * all);
        variance = 1 / all;
    }
    return levels;
}

CommitLevels levels_of_build(
    const SeriesEvidence& evidence, const Posterior& posterior, int commit) {
    CommitLevels levels = posterior.levels(commit);
    double middle = 0;
    for (std::size_t k = 0; k < levels.p.size(); ++k) middle += levels.p[k] * levels.mean[k];
    const auto own = own_runs(evidence, posterior.own_noise(), commit, middle);
    return levels_of_build(levels, own ? &*own : nullptr);
}

}  // namespace vigil::search
