#include "bisect/search/lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "bisect/search/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::search {

namespace {

constexpr double reach = 4.2;                           // widths of a place that the lattice covers
constexpr std::size_t most_levels = 256;                // beyond, the spacing grows
constexpr double least_log = -32;                       // below it nothing is left of a sample
constexpr int most_fine = 8;                            // samples of a place between two levels
constexpr double tail_constant = -0.98082925301172619;  // ln(3/8), the t density's peak

struct PlaceRuns {
    std::vector<double> z;      ///< offsets taken off
    std::vector<double> scale;  ///< of the t density
    double constant = 0;        ///< of the sum of the runs' log densities
    double middle = 0;
    double width = 0;   ///< of what is known of the level, jitter included
    double narrow = 0;  ///< the same without jitter
    std::vector<double>
        levels;  ///< what the level may be, about: one, or by what mode the runs are
    Modes modes;
};

double log_likelihood_of_two(const PlaceRuns& place, double level) {
    constexpr double tiny = 1e-200;
    double sum = place.constant;
    double product = 1;  // one logarithm for many runs
    for (std::size_t i = 0; i < place.z.size(); ++i) {
        const double away = place.z[i] - level;
        const double scale = 1 / place.scale[i];
        const double r = away * scale;
        const double other = (away - place.modes.gap) * scale;
        product *= (1 - place.modes.share) * stats::t4_shape(r * r) +
                   place.modes.share * stats::t4_shape(other * other);
        if (product > tiny) continue;
        sum += std::log(std::max(product, 1e-300));
        product = 1;
    }
    return sum + std::log(product);
}

double log_likelihood(const PlaceRuns& place, double level) {
    if (place.modes.two()) return log_likelihood_of_two(place, level);
    constexpr double large = 1e200;
    constexpr double power = 2.5;  // of the density of t with 4 degrees of freedom
    double sum = place.constant;
    double product = 1;  // one logarithm for many runs
    for (std::size_t i = 0; i < place.z.size(); ++i) {
        const double r = (place.z[i] - level) / place.scale[i];
        product *= 1 + r * r / 4;  // t4_log_shape, without its logarithm
        if (product < large) continue;
        sum -= power * std::log(product);
        product = 1;
    }
    return sum - power * std::log(product);
}

/// The levels that runs of two modes speak for, about: as if some of them were of either mode.
std::vector<double> levels_of_two(const PlaceRuns& place) {
    constexpr std::size_t most = 7;
    constexpr double hopeless = 14;  // nats
    std::vector<double> z = place.z;
    std::sort(z.begin(), z.end());
    std::vector<std::pair<double, double>> tried;
    double best = -1e300;
    const std::size_t step = (z.size() + most - 1) / most;
    for (std::size_t i = step / 2; i < z.size(); i += step) {
        for (const double level : {z[i], z[i] - place.modes.gap}) {
            tried.emplace_back(log_likelihood(place, level), level);
            best = std::max(best, tried.back().first);
        }
    }
    std::vector<double> levels;
    for (const auto& [log, level] : tried) {
        if (log > best - hopeless) levels.push_back(level);
    }
    return levels;
}

std::vector<PlaceRuns> by_place(
    const SeriesEvidence& evidence, const std::vector<int>& places, double sigma, double jitter) {
    std::vector<PlaceRuns> grouped(places.size());
    std::map<std::pair<int, int>, int> together;  // runs of a place within one session
    for (const Run& run : evidence.runs) ++together[{run.place, run.session}];
    std::vector<double> spread(places.size(), 0);
    for (const Run& run : evidence.runs) {
        const auto found = std::lower_bound(places.begin(), places.end(), run.place);
        const auto place = static_cast<std::size_t>(found - places.begin());
        // Runs of one session share the error of its offset.
        const double shared = together[{run.place, run.session}] * run.variance;
        grouped[place].z.push_back(run.z - run.offset);
        const double own = sigma * run.spread;
        grouped[place].scale.push_back(std::sqrt(own * own + shared));
        grouped[place].constant += tail_constant - std::log(grouped[place].scale.back());
        spread[place] += run.variance;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        PlaceRuns& p = grouped[i];
        const auto n = static_cast<double>(p.z.size());
        p.middle = stats::median(p.z);
        const double own = robust_price * sigma * sigma / n + spread[i] / n;
        p.narrow = std::sqrt(own);
        p.width = std::sqrt(own + jitter * jitter);
        p.modes = evidence.modes;
        p.levels = p.modes.two() ? levels_of_two(p) : std::vector<double>{p.middle};
    }
    return grouped;
}

std::vector<long> covered(const std::vector<PlaceRuns>& places, double spacing) {
    std::vector<long> indices;
    for (const PlaceRuns& p : places) {
        for (const double level : p.levels) {
            const long low = std::lround(std::floor((level - reach * p.width) / spacing));
            const long high = std::lround(std::ceil((level + reach * p.width) / spacing));
            // Far too many to be listed: the caller widens the spacing.
            if (high - low > 4 * static_cast<long>(most_levels))
                return std::vector<long>(most_levels + 1);
            for (long i = low; i <= high; ++i) indices.push_back(i);
        }
    }
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    return indices;
}

/// Samples a place's likelihood between the lattice's points too where it is narrower than their
/// spacing, and spreads it by the jitter.
class RowMaker {
  public:
    RowMaker(const std::vector<long>& indices, double spacing, double jitter)
        : indices_(indices), spacing_(spacing), jitter_(jitter) {
        // Beyond four deviations nothing is left of a Gaussian.
        half_ = std::max(1L, std::lround(std::ceil(4 * jitter / spacing)));
    }

    /// @return ln of the integral of the row before it was normalised
    double make(const PlaceRuns& place, std::vector<double>& row) {
        // A sample at least for each deviation of the narrowest run.
        const int fine =
            std::clamp(static_cast<int>(std::ceil(spacing_ / (1.2 * place.narrow))), 1, most_fine);
        std::vector<double> logs;
        logs.reserve(indices_.size() * static_cast<std::size_t>(fine));
        double best = -1e300;
        for (const long index : indices_) {
            for (int s = 0; s < fine; ++s) {
                logs.push_back(log_likelihood(place, level(index, s, fine)));
                best = std::max(best, logs.back());
            }
        }
        row.assign(indices_.size(), 0);
        const auto& kernels = kernels_for(fine);
        for (std::size_t i = 0; i < indices_.size(); ++i) {
            for (int s = 0; s < fine; ++s) {
                const auto sample =
                    i * static_cast<std::size_t>(fine) + static_cast<std::size_t>(s);
                const double down = logs[sample] - best;
                if (down < least_log) continue;
                const double p = std::exp(down);
                spread(i, p / fine, kernels[static_cast<std::size_t>(s)], row);
            }
        }
        double sum = 0;
        for (double& r : row) sum += r = std::max(r, 1e-60);
        for (double& r : row) r /= sum * spacing_;
        return best + std::log(sum * spacing_);
    }

  private:
    double level(long index, int step, int fine) const {
        return (static_cast<double>(index) + static_cast<double>(step) / fine) * spacing_;
    }

    const std::vector<std::vector<double>>& kernels_for(int fine) {
        auto& kernels = kernels_[static_cast<std::size_t>(fine)];
        for (int s = static_cast<int>(kernels.size()); s < fine; ++s) {
            kernels.push_back(kernel(static_cast<double>(s) / fine));
        }
        return kernels;
    }

    /// Weights of the points -half_..half_ around a sample that lies `shift` spacings above one.
    std::vector<double> kernel(double shift) const {
        std::vector<double> weights;
        double sum = 0;
        for (long d = -half_; d <= half_; ++d) {
            const double away = (static_cast<double>(d) - shift) * spacing_;
            // A rectangle as wide as the spacing has a deviation of 1 / sqrt(12) of it.
            const double width = std::max(jitter_, 0.3 * spacing_);
            weights.push_back(std::exp(-0.5 * away * away / (width * width)));
            sum += weights.back();
        }
        for (double& w : weights) w /= sum;
        return weights;
    }

    void spread(
        std::size_t from,
        double p,
        const std::vector<double>& weights,
        std::vector<double>& row) const {
        const auto width = static_cast<std::size_t>(half_);
        const std::size_t low = from > width ? from - width : 0;
        const std::size_t high = std::min(from + width, indices_.size() - 1);
        for (std::size_t to = low; to <= high; ++to) {
            const long d = indices_[to] - indices_[from];
            if (d < -half_ || d > half_) continue;
            row[to] += p * weights[static_cast<std::size_t>(d + half_)];
        }
    }

    const std::vector<long>& indices_;
    double spacing_;
    double jitter_;
    long half_;
    std::array<std::vector<std::vector<double>>, most_fine + 1> kernels_;
};

}  // namespace

Lattice make_lattice(
    const SeriesEvidence& evidence, const std::vector<int>& places, double sigma, double jitter) {
    const auto grouped = by_place(evidence, places, sigma, jitter);
    const double runs = static_cast<double>(evidence.runs.size()) / 2;
    const double builds = static_cast<double>(places.size()) / 2;
    Lattice lattice;
    lattice.spacing = std::sqrt(robust_price * sigma * sigma / runs + jitter * jitter / builds);
    std::vector<long> indices = covered(grouped, lattice.spacing);
    while (indices.size() > most_levels) {
        lattice.spacing *= 1.25;  // a step of the search for one that fits
        indices = covered(grouped, lattice.spacing);
    }
    RowMaker maker(indices, lattice.spacing, jitter);
    lattice.rows.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        lattice.log_evidence += maker.make(grouped[i], lattice.rows[i]);
    }
    for (const long index : indices) {
        lattice.levels.push_back(static_cast<double>(index) * lattice.spacing);
    }
    return lattice;
}

}  // namespace vigil::search
