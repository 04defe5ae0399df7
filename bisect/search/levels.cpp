#include "bisect/search/levels.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bisect/search/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::search {

namespace {

constexpr int level_sweeps = 8;  // of a fit, until it stands

using Matrix = std::vector<std::vector<double>>;

struct Inverse {
    Matrix matrix;
    double log_determinant = 0;  ///< of what was inverted
};

/// Gauss and Jordan with pivots, of a small symmetric matrix that has an inverse.
Inverse inverse_of(Matrix a) {
    const std::size_t n = a.size();
    Inverse result{Matrix(n, std::vector<double>(n, 0)), 0};
    Matrix& inverse = result.matrix;
    for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1;
    for (std::size_t column = 0; column < n; ++column) {
        std::size_t pivot = column;
        for (std::size_t row = column + 1; row < n; ++row) {
            if (std::abs(a[row][column]) > std::abs(a[pivot][column])) pivot = row;
        }
        std::swap(a[column], a[pivot]);
        std::swap(inverse[column], inverse[pivot]);
        const double by = a[column][column];
        result.log_determinant += std::log(std::abs(by));
        for (std::size_t k = 0; k < n; ++k) {
            a[column][k] /= by;
            inverse[column][k] /= by;
        }
        for (std::size_t row = 0; row < n; ++row) {
            const double times = a[row][column];
            if (row == column || times == 0) continue;
            for (std::size_t k = 0; k < n; ++k) {
                a[row][k] -= times * a[column][k];
                inverse[row][k] -= times * inverse[column][k];
            }
        }
    }
    return result;
}

/// z = level[place] + offset[session] + noise, with t weights; the offsets are drawn from a normal
/// law whose spread is known, so that each set of weights leaves linear equations.
class LevelFit {
  public:
    explicit LevelFit(const SeriesEvidence& evidence)
        : evidence_(evidence), noise_(evidence.own_noise() * evidence.own_noise()) {
        for (const Run& run : evidence.runs) indices_.emplace(run.place, 0);
        for (auto& [place, index] : indices_) index = counts_++;
        begin();
        choose_between();
        for (int sweep = 0; sweep < level_sweeps; ++sweep) improve(Weights::of_t);
    }

    const std::map<int, std::size_t>& indices() const { return indices_; }
    double level(std::size_t index) const { return level_[index]; }
    double base() const { return base_; }  ///< what levels count from
    /// Of the difference of two levels.
    double error(std::size_t a, std::size_t b) const {
        const double variance = covariance_[a][a] + covariance_[b][b] - 2 * covariance_[a][b];
        return std::sqrt(std::max(variance * noise_, 0.0));
    }

    /// ln of the runs' likelihood by the laws of log_evidence_of_sessions.
    double log_evidence() const {
        double sum = 0.5 * static_cast<double>(counts_) * std::log(noise_);
        std::map<int, int> runs;
        for (const Run& run : evidence_.runs) {
            const double away = own(run) - level_[index(run)];
            sum += stats::t4_log_shape(away * away / noise_) - 0.5 * std::log(noise_);
            ++runs[run.session];
        }
        if (between_ <= 0) return sum;
        for (const auto& [session, count] : runs) {
            const double offset = offset_.at(session);
            sum -= 0.5 * (offset * offset / between_ + std::log1p(count * between_ / noise_));
        }
        return sum;
    }

    /// Of a run, without the upper mode and its session's offset.
    double own(const Run& run) const { return lower(run) - offset_.at(run.session); }

  private:
    std::size_t index(const Run& run) const { return indices_.at(run.place); }

    void begin() {
        std::vector<std::vector<double>> values(counts_);
        for (const Run& run : evidence_.runs) values[index(run)].push_back(run.z);
        for (auto& of_place : values) {
            const bool lowest = evidence_.modes.two();
            level_.push_back(
                lowest ? *std::min_element(of_place.begin(), of_place.end())
                       : stats::median(of_place));
        }
        // Around 0, so that sums of squares lose nothing.
        base_ = level_.front();
        for (double& level : level_) level -= base_;
        for (const Run& run : evidence_.runs) offset_[run.session] = 0;
    }

    double lower(const Run& run) const {
        const double z = run.z - base_;
        if (!evidence_.modes.two()) return z;
        const double away = z - offset_.at(run.session) - level_[index(run)];
        return z - evidence_.modes.gap * upper_share(evidence_.modes, away);
    }

    struct Session {
        std::map<std::size_t, double> weight;  ///< by place
        std::map<std::size_t, double> sums;    ///< of weight * z, by place
        double sum = 0;                        ///< of weight * z
        double squares = 0;                    ///< of weight * z * z
        double all = 0;                        ///< weight
        double shrinks(double noise, double between) const {
            return between / (noise + between * all);
        }
    };

    enum class Weights { even, of_t };

    /// How sessions differ, by all runs: what the search knows of it stands on the ends alone.
    void choose_between() {
        double best = -1e300;
        double chosen = 0;
        for (const double step : offset_steps) {
            between_ = step * step * noise_;
            const double likely = improve(Weights::even);
            if (likely <= best) continue;
            best = likely;
            chosen = between_;
        }
        between_ = chosen;
        improve(Weights::even);
    }

    /// @return  the restricted log likelihood of the runs, up to a constant
    double improve(Weights weights) {
        Matrix a(counts_, std::vector<double>(counts_, 0));
        std::vector<double> right(counts_, 0);
        std::map<int, Session> sessions;
        for (const Run& run : evidence_.runs) {
            const double away = own(run) - level_[index(run)];
            const double square = run.spread * run.spread;
            const double weight =
                (weights == Weights::even ? 1 : stats::t4_weight(away * away / (noise_ * square))) /
                square;
            const double z = lower(run);
            a[index(run)][index(run)] += weight;
            right[index(run)] += weight * z;
            Session& session = sessions[run.session];
            session.weight[index(run)] += weight;
            session.sums[index(run)] += weight * z;
            session.sum += weight * z;
            session.squares += weight * z * z;
            session.all += weight;
        }
        for (const auto& [number, session] : sessions) {
            const double shrinks = session.shrinks(noise_, between_);
            for (const auto& [p, of_p] : session.weight) {
                right[p] -= shrinks * of_p * session.sum;
                for (const auto& [q, of_q] : session.weight) a[p][q] -= shrinks * of_p * of_q;
            }
        }
        auto inverse = inverse_of(std::move(a));
        covariance_ = std::move(inverse.matrix);
        for (std::size_t p = 0; p < counts_; ++p) {
            level_[p] = 0;
            for (std::size_t q = 0; q < counts_; ++q) level_[p] += covariance_[p][q] * right[q];
        }
        double away = 0;
        for (const auto& [number, session] : sessions) {
            double left = session.sum;
            double squares = session.squares;
            for (const auto& [p, of_p] : session.weight) {
                left -= of_p * level_[p];
                squares += of_p * level_[p] * level_[p] - 2 * level_[p] * session.sums.at(p);
            }
            const double shrinks = session.shrinks(noise_, between_);
            offset_[number] = shrinks * left;
            away += (squares - shrinks * left * left) / noise_ +
                    std::log1p(session.all * between_ / noise_);
        }
        return -(away + inverse.log_determinant) / 2;
    }

    const SeriesEvidence& evidence_;
    double noise_;                        ///< variance of a run within its mode
    double between_ = 0;                  ///< variance of the sessions' offsets
    std::map<int, std::size_t> indices_;  ///< by place
    std::size_t counts_ = 0;
    double base_ = 0;
    std::vector<double> level_;
    std::map<int, double> offset_;  ///< by session
    Matrix covariance_;             ///< of the levels, in `noise_`
};

}  // namespace

const PlaceLevel* FittedLevels::of(int place) const {
    const auto found = std::find_if(
        places.begin(), places.end(), [&](const PlaceLevel& one) { return one.place == place; });
    return found == places.end() ? nullptr : &*found;
}

double FittedLevels::error(int before, int after) const {
    const auto row = static_cast<std::size_t>(of(before) - places.data());
    const auto column = static_cast<std::size_t>(of(after) - places.data());
    return errors.at(row).at(column);
}

double FittedLevels::value_at(double above, Direction sought) const {
    return without_stand_in(
        std::exp(sought == Direction::lower_is_better ? good + above : -(good + above)), zero);
}

double log_evidence_of_sessions(const SeriesEvidence& evidence) {
    return evidence.runs.empty() ? 0 : LevelFit(evidence).log_evidence();
}

FittedLevels fit_levels(const SeriesEvidence& evidence) {
    FittedLevels levels;
    if (evidence.runs.empty()) return levels;
    const LevelFit fit(evidence);
    const std::size_t base = 0;  // the good end is the first place
    const double good = fit.level(base);
    levels.good = fit.base() + good;
    levels.zero = evidence.zero;
    for (const auto& [place, index] : fit.indices()) {
        levels.places.push_back(
            {place, fit.level(index) - good, fit.error(index, base), evidence.runs_at(place)});
    }
    for (const auto& [place, index] : fit.indices()) {
        auto& row = levels.errors.emplace_back();
        for (const auto& [other, column] : fit.indices()) row.push_back(fit.error(index, column));
    }
    for (const Run& run : evidence.runs) {
        levels.runs.push_back({run.place, fit.own(run) - good});
    }
    return levels;
}

FittedLevels fit_levels(const Problem& problem, const Facts& facts, int series) {
    auto levels = fit_levels(gather(problem, facts, Line(problem, facts), series));
    std::size_t at = 0;
    for (const Observation& o : facts.observations) {
        if (o.series == series) levels.runs[at++].commit = o.commit;
    }
    return levels;
}

std::vector<CommitLevel> commit_levels(
    const FittedLevels& levels, const Line& line, std::set<int> always) {
    always.insert({0, line.last()});
    for (const auto& run : levels.runs) always.insert(run.commit);
    std::vector<CommitLevel> commits;
    std::map<int, int> first_of;  // by place
    for (const int commit : always) {
        const auto* level = levels.of(line.place(commit));
        if (level == nullptr) continue;
        const auto [first, is_first] = first_of.emplace(level->place, commit);
        const auto same_as = is_first ? std::nullopt : std::optional(first->second);
        commits.push_back({commit, std::expm1(level->above), level->runs, same_as, level->above});
    }
    return commits;
}

}  // namespace vigil::search
