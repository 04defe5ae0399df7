#include "bisect/search/evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "bisect/search/interference.hpp"
#include "bisect/search/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::search {

namespace {

double sign_of(const SeriesSpec& spec) {
    return sought_direction(spec) == Direction::lower_is_better ? 1 : -1;
}

/// The spread within a session and commit, which no offset and no change touches.
double noise_of(const std::vector<Run>& runs, const SeriesSpec& spec) {
    std::map<std::pair<int, int>, std::vector<const Run*>> groups;
    for (const Run& run : runs) groups[{run.session, run.place}].push_back(&run);
    std::vector<double> residuals;
    double freedom = 0;
    for (const auto& [key, group] : groups) {
        if (group.size() < 2) continue;
        std::vector<double> z;
        for (const Run* run : group) z.push_back(run->z);
        const double middle = z.size() == 2 ? stats::mean(z) : stats::median(z);
        for (const Run* run : group) residuals.push_back((run->z - middle) / run->spread);
        freedom += static_cast<double>(z.size()) - 1;
    }
    const bool known = spec.noise > 0;
    const double usual = moves_with_layout(spec.kind) ? rule.guessed_noise : rule.least_noise;
    const double guess = known ? std::max(spec.noise, rule.least_noise) : usual;
    const double weight = known ? rule.freedom : 2;
    double scale = guess * guess;
    for (int sweep = 0; sweep < 12 && freedom > 0; ++sweep) {  // until the fit stands
        double squares = 0;
        for (const double r : residuals) squares += stats::t4_weight(r * r / scale) * r * r;
        // Equal values are no proof of no noise.
        const double own = std::max(squares / freedom, 1e-2 * guess * guess);
        const double all = weight + freedom;
        // A few wild nights make a guess far too large: downwards, ratios count, not differences.
        scale = own > guess * guess
                    ? (weight * guess * guess + freedom * own) / all
                    : std::exp((weight * 2 * std::log(guess) + freedom * std::log(own)) / all);
    }
    return std::max(std::sqrt(scale), rule.least_noise);
}

struct Control {
    std::size_t run;  ///< index into the runs
    int end;          ///< 0: good, 1: bad
};

struct Session {
    std::vector<Control> controls;
    double sum = 0;  ///< of the controls' residuals
};

/// Offsets under one assumed spread of them.
struct Guess {
    double offset_sd = 0;
    double weight = 0;
    std::map<int, Session> sessions;
    std::array<double, 2> level{};
    std::vector<double> residual;  ///< by run; controls only
};

class OffsetModel {
  public:
    OffsetModel(SeriesEvidence& evidence, int good, int bad)
        : evidence_(evidence), noise_(evidence.own_noise()) {
        for (const Run& run : evidence.runs) z_.push_back(run.z);
        if (evidence.modes.two()) {
            take_off_modes(good);
            if (bad != good) take_off_modes(bad);
        }
        for (std::size_t i = 0; i < evidence.runs.size(); ++i) {
            const Run& run = evidence.runs[i];
            Session& session = sessions_[run.session];
            if (run.place == good) session.controls.push_back({i, 0});
            if (run.place == bad && bad != good) session.controls.push_back({i, 1});
        }
    }

    void estimate() {
        std::vector<Guess> guesses;
        double best = -1e300;
        std::vector<double> logs;
        for (std::size_t i = 0; i < offset_steps.size(); ++i) {
            Guess guess;
            guess.offset_sd = offset_steps[i] * noise_;
            guess.sessions = sessions_;
            settle(guess);
            logs.push_back(evidence_of(guess) - static_cast<double>(i) * std::numbers::ln2);
            best = std::max(best, logs.back());
            guesses.push_back(std::move(guess));
        }
        double sum = 0;
        for (std::size_t i = 0; i < guesses.size(); ++i) {
            guesses[i].weight = std::exp(logs[i] - best);
            sum += guesses[i].weight;
        }
        double spread = 0;
        double small = 0;
        for (Guess& guess : guesses) {
            guess.weight /= sum;
            spread += guess.weight * guess.offset_sd * guess.offset_sd;
            if (guess.offset_sd <= noise_ / 2) small += guess.weight;
        }
        evidence_.offset_sd = std::sqrt(spread);
        const auto controlled =
            std::count_if(sessions_.begin(), sessions_.end(), [](const auto& s) {
                return !s.second.controls.empty();
            });
        evidence_.steady = small > rule.worth_verifying && controlled >= rule.least_runs;
        apply(guesses);
    }

  private:
    /// An end's level is known well enough to tell which of its runs are of the upper mode.
    void take_off_modes(int end) {
        const Modes& modes = evidence_.modes;
        double level = 1e300;
        for (const Run& run : evidence_.runs) {
            if (run.place == end) level = std::min(level, run.z);
        }
        for (int sweep = 0; sweep < 8; ++sweep) {  // until the fit stands
            double sum = 0, count = 0;
            for (const Run& run : evidence_.runs) {
                if (run.place != end) continue;
                sum += run.z - modes.gap * upper_share(modes, run.z - level);
                ++count;
            }
            if (count > 0) level = sum / count;
        }
        for (std::size_t i = 0; i < z_.size(); ++i) {
            const Run& run = evidence_.runs[i];
            if (run.place == end) z_[i] -= modes.gap * upper_share(modes, run.z - level);
        }
    }

    double run_variance(std::size_t n) const {
        return robust_price * noise_ * noise_ / static_cast<double>(n);
    }

    double shrunk(const Guess& guess, double sum, std::size_t n) const {
        if (n == 0) return 0;
        const double own = guess.offset_sd * guess.offset_sd;
        return own / (own + run_variance(n)) * sum / static_cast<double>(n);
    }

    double left(const Guess& guess, std::size_t n) const {
        const double own = guess.offset_sd * guess.offset_sd;
        return n == 0 || own <= 0 ? own : own * run_variance(n) / (own + run_variance(n));
    }

    /// The levels of both ends by generalised least squares, offsets integrated out.
    void settle(Guess& guess) const {
        guess.residual.assign(evidence_.runs.size(), 0);
        guess.level = first_levels();
        for (int sweep = 0; sweep < 2; ++sweep) {
            if (sweep > 0) guess.level = levels_of(guess);
            for (auto& [number, session] : guess.sessions) {
                session.sum = 0;
                for (const Control& c : session.controls) {
                    const double level = guess.level[static_cast<std::size_t>(c.end)];
                    guess.residual[c.run] = z_[c.run] - level;
                    session.sum += guess.residual[c.run];
                }
            }
        }
    }

    std::array<double, 2> first_levels() const {
        std::array<std::vector<double>, 2> values;
        for (const auto& [number, session] : sessions_) {
            for (const Control& c : session.controls) {
                values[static_cast<std::size_t>(c.end)].push_back(z_[c.run]);
            }
        }
        std::array<double, 2> level{};
        for (const std::size_t end : {0U, 1U}) {
            if (!values[end].empty()) level[end] = stats::median(values[end]);
        }
        return level;
    }

    std::array<double, 2> levels_of(const Guess& guess) const {
        const double own = guess.offset_sd * guess.offset_sd;
        double a = 0, b = 0, both = 0;  // the normal equations, for steps from the levels before
        std::array<double, 2> right{};
        for (const auto& [number, session] : guess.sessions) {
            std::array<double, 2> n{}, sum{};
            for (const Control& c : session.controls) {
                n[static_cast<std::size_t>(c.end)] += 1;
                sum[static_cast<std::size_t>(c.end)] += guess.residual[c.run];
            }
            const double count = n[0] + n[1];
            const double shared = count == 0 ? 0 : own / (run_variance(1) + count * own);
            a += n[0] - shared * n[0] * n[0];
            b += n[1] - shared * n[1] * n[1];
            both -= shared * n[0] * n[1];
            for (const std::size_t end : {0U, 1U}) {
                right[end] += sum[end] - shared * n[end] * (sum[0] + sum[1]);
            }
        }
        auto level = guess.level;
        const double determinant = a * b - both * both;
        if (determinant > 1e-9 * a * b) {
            level[0] += (b * right[0] - both * right[1]) / determinant;
            level[1] += (a * right[1] - both * right[0]) / determinant;
        } else if (a > 0) {
            level[0] += right[0] / a;
        }
        return level;
    }

    /// Of Student's t with 4 degrees of freedom: one wild session is no reason to believe that all
    /// differ, and many are no outliers, however far off they lie.
    double evidence_of(const Guess& guess) const {
        double sum = 0;
        double count = 0;
        for (const auto& [number, session] : guess.sessions) {
            const std::size_t n = session.controls.size();
            if (n == 0) continue;
            const double variance = guess.offset_sd * guess.offset_sd + run_variance(n);
            const double mean = session.sum / static_cast<double>(n);
            sum += stats::t4_log_shape(mean * mean / variance) - 0.5 * std::log(variance);
            ++count;
        }
        return count > 0 ? sum * (count - 1) / count : 0;
    }

    void apply(const std::vector<Guess>& guesses) {
        for (std::size_t i = 0; i < evidence_.runs.size(); ++i) {
            Run& run = evidence_.runs[i];
            const auto& controls = sessions_.at(run.session).controls;
            const bool control = std::any_of(
                controls.begin(), controls.end(), [&](const Control& c) { return c.run == i; });
            const std::size_t n = controls.size() - (control ? 1 : 0);
            double mean = 0, square = 0, rest = 0;
            for (const Guess& guess : guesses) {
                // A control must not vouch for itself: that would halve the noise.
                const double sum =
                    guess.sessions.at(run.session).sum - (control ? guess.residual[i] : 0);
                const double offset = shrunk(guess, sum, n);
                mean += guess.weight * offset;
                square += guess.weight * offset * offset;
                rest += guess.weight * left(guess, n);
            }
            run.offset = mean;
            run.variance = rest + std::max(square - mean * mean, 0.0);
        }
    }

    SeriesEvidence& evidence_;
    double noise_;           ///< of one run within its mode
    std::vector<double> z_;  ///< by run; of the ends without their modes
    std::map<int, Session> sessions_;
};

}  // namespace

Direction sought_direction(const SeriesSpec& spec) {
    const bool lower = (spec.direction == Direction::lower_is_better) != spec.better;
    return lower ? Direction::lower_is_better : Direction::higher_is_better;
}

int SeriesEvidence::runs_at(int place) const {
    return static_cast<int>(std::count_if(
        runs.begin(), runs.end(), [&](const Run& run) { return run.place == place; }));
}

/// Half of the smallest other value: no size is known of a change from 0, only that it is one.
double stand_in_of(const Facts& facts, int series) {
    double smallest = std::numeric_limits<double>::infinity();
    bool has_zero = false;
    for (const Observation& o : facts.observations) {
        if (o.series != series) continue;
        has_zero = has_zero || o.value == 0;
        if (o.value > 0) smallest = std::min(smallest, o.value);
    }
    if (!has_zero) return 0;
    return std::isfinite(smallest) ? smallest / 2 : 1;
}

SeriesEvidence gather(const Problem& problem, const Facts& facts, const Line& line, int series) {
    const SeriesSpec& spec = problem.series[static_cast<std::size_t>(series)];
    SeriesEvidence evidence;
    evidence.zero = stand_in_of(facts, series);
    std::map<std::pair<int, int>, int> sessions;
    for (const Observation& o : facts.observations) {
        if (o.series != series) continue;
        const auto next = static_cast<int>(sessions.size());
        const int session = sessions.emplace(std::pair(o.probe, o.group), next).first->second;
        const double z = sign_of(spec) * std::log(o.value == 0 ? evidence.zero : o.value);
        evidence.runs.push_back(
            {line.place(o.commit), session, o.purpose, z, 0, 0, o.probe, o.busy});
    }
    evidence.disturbed = weigh_by_share(evidence.runs);
    evidence.noise = noise_of(evidence.runs, spec);
    // Spells of another's work are no modes of the benchmark.
    if (!evidence.disturbed) evidence.modes = find_modes(evidence.runs, evidence.noise);
    if (spec.nights > 0) evidence.nights = std::max(spec.nights, rule.least_noise);
    evidence.tau = std::log1p(spec.threshold);
    evidence.least = evidence.tau / 2;
    evidence.between = std::max(evidence.least, std::log1p(spec.least_ratio));
    // A tenth of a value is the least that a ratio is believed to leave.
    evidence.expected =
        std::max(evidence.tau, std::abs(std::log1p(std::max(spec.expected_ratio, -0.9))));
    estimate_offsets(evidence, line.place(0), line.place(line.last()));
    evidence.exact = !moves_with_layout(spec.kind) && evidence.noise <= rule.least_noise;
    evidence.steady = evidence.steady || evidence.exact;  // nothing needs to be controlled
    return evidence;
}

void estimate_offsets(SeriesEvidence& evidence, int good, int bad) {
    OffsetModel(evidence, good, bad).estimate();
}

}  // namespace vigil::search
