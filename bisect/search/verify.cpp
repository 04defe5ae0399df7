#include "bisect/search/verify.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bisect/search/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::search {

namespace {

struct Value {
    bool after;
    double z;
    double spread;
};
using Sessions = std::map<int, std::vector<Value>>;

struct Sums {
    double weight_a = 0, sum_a = 0, weight_b = 0, sum_b = 0;

    double information() const {
        const double both = weight_a + weight_b;
        return both > 0 ? weight_a * weight_b / both : 0;
    }
    double change() const { return sum_b / weight_b - sum_a / weight_a; }
};

Sessions sessions_of(const SeriesEvidence& evidence, int before, int after) {
    Sessions sessions;
    for (const Run& run : evidence.runs) {
        if (run.purpose != ProbePurpose::verify) continue;
        if (run.place != before && run.place != after) continue;
        sessions[run.session].push_back({run.place == after, run.z, run.spread});
    }
    std::erase_if(sessions, [](const auto& entry) {
        const auto& values = entry.second;
        const auto later =
            std::count_if(values.begin(), values.end(), [](const Value& v) { return v.after; });
        return later == 0 || later == static_cast<std::ptrdiff_t>(values.size());
    });
    return sessions;
}

int count_rounds(const SeriesEvidence& evidence, const Sessions& sessions) {
    std::set<int> probes;
    for (const Run& run : evidence.runs) {
        if (sessions.contains(run.session)) probes.insert(run.probe);
    }
    return static_cast<int>(probes.size());
}

double median_of_before(const Sessions& sessions) {
    std::vector<double> z;
    for (const auto& [number, values] : sessions) {
        for (const Value& v : values) {
            if (!v.after) z.push_back(v.z);
        }
    }
    return stats::median(z);
}

enum class Weights { of_t, even };

/// z = session + change * [later commit].
class PairFit {
  public:
    PairFit(const Sessions& sessions, double noise, Weights weights)
        : sessions_(sessions), weights_(weights), prior_(noise * noise), scale_(prior_) {
        for (const auto& [number, values] : sessions_) {
            std::vector<double> a, b;
            for (const Value& v : values) (v.after ? b : a).push_back(v.z);
            const auto pairs = static_cast<double>(std::min(a.size(), b.size()));
            change_ += pairs * (stats::median(b) - stats::median(a));
            information_ += pairs;
            own_ += static_cast<double>(values.size()) - 1;
        }
        change_ /= information_;
        for (const auto& [number, values] : sessions_) {
            std::vector<double> z;
            for (const Value& v : values) z.push_back(v.z - (v.after ? change_ : 0));
            level_[number] = stats::median(z);
        }
        own_ = std::max(own_ - 1, 0.0);
        for (int sweep = 0; sweep < 12; ++sweep) improve();  // until the fit stands
    }

    struct Variance {
        double all = 0;
        double moments = 0;  ///< of it, from session to session
    };

    double change() const { return change_; }
    /// Of the change: the runs' scatter, and that of the change from session to session where it is
    /// more than they explain.
    /// @source  DerSimonian and Laird 1986, "Meta-analysis in clinical trials"
    Variance variance() const {
        const double run = (weights_ == Weights::of_t ? robust_price : 1) * scale_;
        double sum = 0, squares = 0, beyond = 0;
        for (const auto& [number, s] : sums_) {
            const double weight = s.information() / run;
            const double away = s.change() - change_;
            sum += weight;
            squares += weight * weight;
            beyond += weight * away * away;
        }
        beyond -= static_cast<double>(sums_.size()) - 1;
        // One session alone shows no scatter of sessions: what is left there is rounding.
        const double between = sums_.size() > 1 && beyond > 0 ? beyond / (sum - squares / sum) : 0;
        double total = 0;
        for (const auto& [number, s] : sums_) total += 1 / (run / s.information() + between);
        return {1 / total, 1 / total - 1 / sum};
    }
    double freedom() const { return rule.freedom + own_; }

  private:
    double weight_of(const Value& v, double away) const {
        const double square = v.spread * v.spread;
        return stats::t4_weight(away * away / (scale_ * square)) / square;
    }

    void improve() {
        std::map<int, Sums> sums;
        double squares = rule.freedom * prior_;
        for (const auto& [number, values] : sessions_) {
            for (const Value& v : values) {
                const double r = v.z - level_[number] - (v.after ? change_ : 0);
                const double weight = weights_ == Weights::of_t ? weight_of(v, r) : 1;
                squares += weight * r * r;
                Sums& s = sums[number];
                (v.after ? s.sum_b : s.sum_a) += weight * v.z;
                (v.after ? s.weight_b : s.weight_a) += weight;
            }
        }
        scale_ = squares / freedom();
        double moved = 0;
        information_ = 0;
        for (const auto& [number, s] : sums) {
            moved += s.information() * s.change();
            information_ += s.information();
        }
        change_ = moved / information_;
        for (const auto& [number, s] : sums) {
            level_[number] = (s.sum_a + s.sum_b - change_ * s.weight_b) / (s.weight_a + s.weight_b);
        }
        sums_ = std::move(sums);
    }

    const Sessions& sessions_;
    Weights weights_;
    double prior_;
    double scale_;
    double change_ = 0;
    double information_ = 0;
    double own_ = 0;
    std::map<int, double> level_;
    std::map<int, Sums> sums_;
};

/// Mann and Whitney's count within each session, around what is expected of equal builds.
void take_order(const Sessions& sessions, PairTest& test) {
    double variance = 0;
    for (const auto& [number, values] : sessions) {
        double after = 0;
        for (const Value& b : values) {
            if (!b.after) continue;
            ++after;
            for (const Value& a : values) {
                if (!a.after && a.z != b.z) test.order += a.z < b.z ? 0.5 : -0.5;
            }
        }
        const auto both = static_cast<double>(values.size());
        // Of a rank sum (Mann and Whitney 1947).
        variance += after * (both - after) * (both + 1) / 12;
    }
    test.order_error = std::sqrt(variance);
}

}  // namespace

bool PairTest::convincing(double effect, double least) const {
    if (rounds == 0) return false;
    const double along = effect >= 0 ? change : -change;
    const double needed = stats::student_t_quantile(1 - may_be_chance(), freedom);
    return along >= needed * own_error && along >= std::min(std::abs(effect) / 2, least);
}

double PairTest::chance(double effect) const {
    if (rounds == 0) return 1;
    const double sign = effect >= 0 ? 1 : -1;
    const double by_means = stats::student_t_cdf(-sign * plain_change / plain_error, freedom);
    constexpr double half_a_pair = 0.5;  // counts are whole numbers
    const double by_order = stats::normal_cdf((half_a_pair - sign * order) / order_error);
    return std::min(by_means, by_order);
}

PairTest test_pair(const SeriesEvidence& evidence, int before, int after) {
    PairTest test;
    const Sessions sessions = sessions_of(evidence, before, after);
    test.rounds = count_rounds(evidence, sessions);
    if (sessions.empty()) return test;
    for (const auto& [number, values] : sessions) {
        for (const Value& v : values) ++(v.after ? test.runs_after : test.runs_before);
    }
    const PairFit plain(sessions, evidence.noise, Weights::even);
    test.plain_change = plain.change();
    test.plain_error = std::sqrt(plain.variance().all);
    take_order(sessions, test);
    const PairFit fit(sessions, evidence.noise, Weights::of_t);
    test.change = fit.change();
    const auto variance = fit.variance();
    test.own_error = std::sqrt(variance.all);
    test.moments = variance.moments;
    test.freedom = fit.freedom();
    test.before = median_of_before(sessions);
    return test;
}

int runs_of_ends(const SeriesSpec& spec, const SeriesEvidence& evidence) {
    if (spec.noise <= 0) return 2;
    const double error = 2 * evidence.noise / evidence.expected;
    const double runs = std::ceil(2 * robust_price * error * error);
    return static_cast<int>(std::clamp<double>(runs, 1, rule.least_runs));
}

int runs_to_verify(double effect, double noise, const PairTest& test) {
    const double size = std::abs(effect);
    const double seen = test.rounds == 0 ? 0 : 1 / (test.own_error * test.own_error);
    const double so_far = seen * (effect >= 0 ? test.change : -test.change);
    const double of_pair = 1 / (2 * robust_price * noise * noise);
    int runs = test.rounds == 0 ? 2 : 1;
    for (; runs < rule.most_runs; ++runs) {
        const double freedom = test.rounds == 0 ? rule.freedom + 2 * runs - 2 : test.freedom;
        const double needed = stats::student_t_quantile(1 - may_be_chance(), freedom);
        const double more = runs * of_pair;
        if (so_far + more * size >= needed * std::sqrt(seen + more)) break;
    }
    return runs;
}

}  // namespace vigil::search
