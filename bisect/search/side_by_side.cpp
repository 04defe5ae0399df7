#include "bisect/search/side_by_side.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include "bisect/search/rules.hpp"
#include "bisect/search/verify.hpp"

namespace vigil::search {

namespace {

constexpr double unknown = 1e3;  // variance of a level that nothing tells, log

struct Level {
    double mean = 0;
    double variance = unknown;
};

double of_run(const SeriesEvidence& evidence) {
    return robust_price * evidence.noise * evidence.noise;
}

/// By the runs of the search.
Level level_of(const SeriesEvidence& evidence, int place) {
    struct Session {
        double sum = 0;
        int runs = 0;
        double offset = 0;  ///< what is not known of it, variance
    };
    std::map<int, Session> sessions;
    for (const Run& run : evidence.runs) {
        if (run.place != place || run.purpose == ProbePurpose::verify) continue;
        Session& session = sessions[run.session];
        session.sum += run.z - run.offset;
        ++session.runs;
        session.offset = run.variance;
    }
    double sum = 0, weights = 0;
    for (const auto& [number, session] : sessions) {
        const double weight = 1 / (of_run(evidence) / session.runs + session.offset);
        sum += weight * session.sum / session.runs;
        weights += weight;
    }
    return weights > 0 ? Level{sum / weights, 1 / weights} : Level{};
}

}  // namespace

SideBySide::Seen SideBySide::seen(double layout) const {
    // Of what the two builds differ by without a change, the other runs tell this share.
    const double told = 2 * layout / (2 * layout + unsure);
    const double news = unsure / (2 * layout + unsure);
    Seen made;
    made.change = (change - told * apart) / news;
    made.variance = (variance + told * unsure) / (news * news * share);
    // A share of a Gaussian's evidence is a Gaussian that is as much wider, up to this.
    made.scale = std::pow(news, -share) / std::sqrt(share) *
                 std::pow(2 * std::numbers::pi * share * made.variance, (1 - share) / 2);
    return made;
}

std::vector<SideBySide> side_by_side(
    const SeriesEvidence& evidence, const std::vector<int>& places) {
    std::vector<SideBySide> found(places.size() - 1);
    const double offset = evidence.offset_sd * evidence.offset_sd;
    // The ends are controls: in a session with one the levels hold everything.
    for (std::size_t gap = 1; gap + 2 < places.size(); ++gap) {
        const PairTest test = test_pair(evidence, places[gap], places[gap + 1]);
        if (test.rounds == 0) continue;
        const Level before = level_of(evidence, places[gap]);
        const Level after = level_of(evidence, places[gap + 1]);
        SideBySide& both = found[gap];
        both.change = test.change;
        both.variance = test.own_error * test.own_error;
        both.unsure = before.variance + after.variance;
        if (both.unsure < unknown) both.apart = after.mean - before.mean;
        both.share = offset / (offset + of_run(evidence) * test.rounds / test.runs_after);
    }
    return found;
}

}  // namespace vigil::search
