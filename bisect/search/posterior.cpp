#include "bisect/search/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "bisect/search/rules.hpp"
#include "bisect/search/spread_fit.hpp"

namespace vigil::search {

namespace {

constexpr std::size_t noise_steps = 4;   // half a logarithm apart, around the noise that was seen
constexpr std::size_t jitter_steps = 4;  // octaves from the least one
constexpr std::array wandering{0.0, 0.5, 1.0};  // what of the nights' variance is of machines
constexpr double hopeless = 9.5;  // nats below the best, beyond which nothing better lies

/// The least jitter of builds that is thought of; the others are its doubles, each half as likely
/// as the one before. Memory and counts hardly jitter.
double least_jitter(MetricKind kind) {
    return rule.usual_jitter / (moves_with_layout(kind) ? 4 : 16);
}

/// How likely the earlier nights' spread is, where each night is a run of another build: it holds
/// the noise, the jitter of builds, and what the machines wander from night to night.
double log_nights(const SeriesEvidence& evidence, const Spreads& spreads) {
    if (evidence.nights <= 0) return 0;
    const double seen = evidence.nights * evidence.nights;
    const Modes& modes = evidence.modes;
    const double between = modes.share * (1 - modes.share) * modes.gap * modes.gap;
    const double own = spreads.sigma * spreads.sigma + spreads.jitter * spreads.jitter + between;
    double sum = 0;
    for (const double share : wandering) {
        const double ratio = seen / (own + share * seen);
        const double prior = share == 0 ? 0.5 : 0.25;  // none is as likely as the others together
        sum += prior * std::exp(0.5 * rule.freedom * (std::log(ratio) - ratio + 1));
    }
    return std::log(sum);
}

/// What the noise and the jitter of builds may be. Fits are made from the middle outwards, and only
/// where what lies further in is not hopeless already.
class SpreadGrid {
  public:
    SpreadGrid(
        const SeriesEvidence& evidence,
        const std::vector<int>& places,
        const std::vector<double>& gap_mass,
        const std::vector<SideBySide>& neighbours,
        MetricKind kind) {
        double jitter = least_jitter(kind);
        for (std::size_t j = 0; j < jitter_steps; ++j, jitter *= 2) {
            for (const std::size_t i : {1U, 2U, 0U, 3U}) {
                if (!is_worth_it(i, j)) continue;
                const double away = static_cast<double>(i) - (noise_steps - 1) / 2.0;
                const double noise = evidence.own_noise() * std::exp(away / 2);
                const Spreads spreads{noise, jitter};
                auto& fit = fits_[j][i];
                fit.emplace(evidence, places, gap_mass, neighbours, spreads);
                logs_[j][i] = -0.5 * away * away - static_cast<double>(j) * std::numbers::ln2 +
                              log_nights(evidence, spreads) + fit->log_evidence();
                best_ = std::max(best_, logs_[j][i]);
            }
        }
    }

    /// Calls `use` with every fit that counts and its weight.
    void visit(const auto& use) const {
        double sum = 0;
        for (const auto& row : logs_) {
            for (const double log : row) sum += std::exp(log - best_);
        }
        for (std::size_t j = 0; j < jitter_steps; ++j) {
            for (std::size_t i = 0; i < noise_steps; ++i) {
                const double weight = std::exp(logs_[j][i] - best_) / sum;
                if (weight >= 1e-4) use(*fits_[j][i], weight);  // less changes no sum
            }
        }
    }

  private:
    bool is_worth_it(std::size_t i, std::size_t j) const {
        const bool outer = i == 0 || i == noise_steps - 1;
        if (!outer && j == 0) return true;
        const auto good = [&](std::size_t row, std::size_t column) {
            return logs_[row][column] > best_ - hopeless;
        };
        return (outer && good(j, i == 0 ? 1 : 2)) || (j > 0 && good(j - 1, i));
    }

    using Logs = std::array<double, noise_steps>;
    static constexpr Logs none{-1e300, -1e300, -1e300, -1e300};
    std::array<std::array<std::optional<SpreadFit>, noise_steps>, jitter_steps> fits_;
    std::array<Logs, jitter_steps> logs_{none, none, none, none};
    double best_ = -1e300;
};

}  // namespace

Posterior::Posterior(const SeriesEvidence& evidence, const Line& line, MetricKind kind)
    : line_(&line) {
    for (const Run& run : evidence.runs) places_.push_back(run.place);
    std::sort(places_.begin(), places_.end());
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
    VIGIL_ASSERT(places_.size() >= 2);
    std::vector<double> gap_mass;
    for (std::size_t g = 0; g + 1 < places_.size(); ++g) {
        gap_mass.push_back(line.mass(places_[g], places_[g + 1]));
    }
    changed_.assign(places_.size() - 1, 0);
    effect_.assign(places_.size() - 1, 0);
    effect_error_.assign(places_.size() - 1, 0);
    notable_.assign(places_.size() - 1, 0);
    same_.assign(places_.size() - 1, 0);
    segments_.assign(places_.size() * places_.size(), {});
    const auto neighbours = side_by_side(evidence, places_);
    const SpreadGrid grid(evidence, places_, gap_mass, neighbours, kind);
    grid.visit([&](const SpreadFit& fit, double weight) { add(fit, weight); });
    finish();
    own_noise_ = noise_;
    if (evidence.modes.two()) noise_ = std::max(noise_, evidence.noise);
}

/// Adds one fit; sums of moments until `finish`.
void Posterior::add(const SpreadFit& fit, double weight) {
    const auto s = fit.summarise();
    const double layout = fit.spreads().jitter * fit.spreads().jitter;
    for (std::size_t g = 0; g < changed_.size(); ++g) {
        changed_[g] += weight * s.changed[g];
        effect_[g] += weight * s.effect[g];
        effect_error_[g] += weight * s.square[g];
        notable_[g] += weight * s.notable[g];
        same_[g] += weight * (1 - s.changed[g]) * layout;
    }
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        double mine = 0;
        for (std::size_t k = 0; k <= most_changes; ++k) {
            const double p = weight * s.segment_p[i * (most_changes + 1) + k];
            segments_[i].p[k] += p;
            segments_[i].layout[k] += p * layout;
            mine += p;
        }
        segments_[i].mean += mine * s.mean[i];
        segments_[i].variance += mine * (s.variance[i] + s.mean[i] * s.mean[i]);
    }
    small_ += weight * s.small;
    net_ += weight * s.net;
    noise_ += weight * fit.spreads().sigma;
    jitter_ += weight * layout;
}

void Posterior::finish() {
    jitter_ = std::sqrt(jitter_);
    for (std::size_t g = 0; g < changed_.size(); ++g) {
        const double same = 1 - changed_[g];
        same_[g] = same > 1e-9 ? std::sqrt(std::max(same_[g], 0.0) / same) : jitter_;
        const double p = std::max(changed_[g], 1e-12);
        effect_[g] /= p;
        const double variance = effect_error_[g] / p - effect_[g] * effect_[g];
        effect_error_[g] = std::sqrt(std::max(variance, 1e-12));
    }
    for (Segment& segment : segments_) {
        double p = 0;
        for (const double each : segment.p) p += each;
        if (p <= 1e-12) continue;
        segment.mean /= p;
        segment.variance = std::max(segment.variance / p - segment.mean * segment.mean, 1e-12);
    }
}

int Posterior::gap_of(int commit) const {
    const auto above = std::upper_bound(places_.begin(), places_.end(), commit);
    return static_cast<int>(above - places_.begin()) - 1;
}

CommitLevels Posterior::levels(int commit) const {
    const int gap = gap_of(commit);
    const auto low = static_cast<std::size_t>(gap);
    const bool measured = places_[low] == commit;
    // Between two places a change lies before the commit with the share of the prior there.
    double share = 0;
    if (!measured) {
        const double mass = line_->mass(places_[low], places_[low + 1]);
        share = mass > 0 ? line_->mass(places_[low], commit) / mass : 0;
    }
    CommitLevels found;
    std::array<double, most_changes + 1> square{};
    const auto add = [&](const Segment& segment, double weight) {
        for (std::size_t k = 0; k <= most_changes; ++k) {
            const double p = weight * segment.p[k];
            found.p[k] += p;
            found.mean[k] += p * segment.mean;
            found.layout[k] += weight * segment.layout[k];
            square[k] += p * (segment.variance + segment.mean * segment.mean);
        }
    };
    for (std::size_t first = 0; first <= low; ++first) {
        if (!measured) add(segments_[at(static_cast<int>(first), gap)], 1 - share);
        for (std::size_t last = measured ? low : low + 1; last < places_.size(); ++last) {
            add(segments_[at(static_cast<int>(first), static_cast<int>(last))], 1);
        }
    }
    for (std::size_t last = low + 1; !measured && last < places_.size(); ++last) {
        add(segments_[at(gap + 1, static_cast<int>(last))], share);
    }
    for (std::size_t k = 0; k <= most_changes; ++k) {
        if (found.p[k] <= 1e-12) continue;
        found.mean[k] /= found.p[k];
        found.layout[k] /= found.p[k];
        found.variance[k] = std::max(square[k] / found.p[k] - found.mean[k] * found.mean[k], 1e-12);
    }
    return found;
}

std::vector<double> Posterior::by_commit() const {
    std::vector<double> p(static_cast<std::size_t>(line_->last()), 0);
    for (int g = 0; g < gaps(); ++g) {
        const int from = places_[static_cast<std::size_t>(g)];
        const int to = places_[static_cast<std::size_t>(g) + 1];
        const double mass = line_->mass(from, to);
        for (int c = from + 1; c <= to && mass > 0; ++c) {
            p[static_cast<std::size_t>(c) - 1] = changed(g) * line_->mass(c - 1, c) / mass;
        }
    }
    return p;
}

}  // namespace vigil::search
