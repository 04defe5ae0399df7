#include "bisect/search/modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "bisect/search/evidence.hpp"
#include "bisect/search/levels.hpp"
#include "bisect/search/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::search {

namespace {

constexpr std::array first_gaps{2.0, 3.0, 4.5, 7.0};       // of the noise of one mode
constexpr std::array one_noise_steps{0.7, 1.0, 1.4, 2.0};  // of a run, if there is one mode
constexpr int sweeps = 16;                                 // of a fit, until it stands

using Places = std::vector<std::vector<double>>;

/// Density of t with 4 degrees of freedom, without its constant.
double density(double r, double scale) {
    return stats::t4_shape(r * r / (scale * scale)) / scale;
}

class ModesFit {
  public:
    ModesFit(const Places& places, Modes start) : places_(places), modes_(start) {
        for (const auto& z : places_) {
            runs_ += z.size();
            levels_.push_back(lowest(z));
        }
        for (int sweep = 0; sweep < sweeps; ++sweep) improve();
    }

    const Modes& modes() const { return modes_; }
    bool sound() const {
        const double lower = static_cast<double>(runs_) - upper_;
        return upper_ >= 2 && lower >= 2 && modes_.gap >= rule.modes_apart * modes_.noise;
    }

    /// ln of the runs' likelihood, summed over what each place's level may be.
    double log_evidence() const {
        double sum = 0;
        for (std::size_t k = 0; k < places_.size(); ++k) {
            for (const double z : places_[k]) {
                const double r = z - levels_[k];
                sum += std::log(
                    (1 - modes_.share) * density(r, modes_.noise) +
                    modes_.share * density(r - modes_.gap, modes_.noise));
            }
            sum += std::log(modes_.noise);
        }
        return sum;
    }

  private:
    /// The level at first: the middle of the runs that lie within half a gap of the lowest.
    double lowest(const std::vector<double>& z) const {
        const double least = *std::min_element(z.begin(), z.end());
        std::vector<double> low;
        for (const double value : z) {
            if (value < least + 0.5 * modes_.gap) low.push_back(value);
        }
        return stats::median(low);
    }

    void improve() {
        double above = 0, above_weight = 0, squares = 0;
        upper_ = 0;
        const double square = modes_.noise * modes_.noise;
        for (std::size_t k = 0; k < places_.size(); ++k) {
            double sum = 0, all = 0;
            for (const double z : places_[k]) {
                const double r = z - levels_[k];
                const double p = upper_share(modes_, r);
                const double s = r - modes_.gap;
                const double low = (1 - p) * stats::t4_weight(r * r / square);
                const double high = p * stats::t4_weight(s * s / square);
                squares += low * r * r + high * s * s;
                sum += low * z + high * (z - modes_.gap);
                all += low + high;
                above += high * r;
                above_weight += high;
                upper_ += p;
            }
            levels_[k] = sum / all;
        }
        const auto n = static_cast<double>(runs_);
        const double freedom = n - static_cast<double>(places_.size()) - 1;
        if (above_weight > 0) modes_.gap = above / above_weight;
        modes_.share = (upper_ + 1) / (n + 2);
        modes_.noise = std::max(std::sqrt(squares / freedom), rule.least_noise);
    }

    const Places& places_;
    Modes modes_;
    std::vector<double> levels_;
    std::size_t runs_ = 0;
    double upper_ = 0;
};

double log_evidence_of_one(const Places& places, double noise) {
    double sum = 0;
    for (const auto& z : places) {
        double level = stats::median(z);
        for (int sweep = 0; sweep < 4; ++sweep) {  // until a level stands
            double moved = 0, all = 0;
            for (const double value : z) {
                const double r = value - level;
                const double w = stats::t4_weight(r * r / (noise * noise));
                moved += w * value;
                all += w;
            }
            level = moved / all;
        }
        for (const double value : z) sum += std::log(density(value - level, noise));
        sum += std::log(noise);
    }
    return sum;
}

/// One mode where each session has an offset. Without it, a machine that others use has two modes
/// wherever it is busy for a while.
double log_evidence_of_one_by_sessions(const std::vector<Run>& runs, double noise) {
    SeriesEvidence evidence;
    evidence.runs = runs;
    double best = -1e300;
    for (const double step : one_noise_steps) {
        evidence.noise = noise * step;
        best = std::max(best, log_evidence_of_sessions(evidence));
    }
    return best;
}

}  // namespace

double upper_share(const Modes& modes, double away) {
    const double low = (1 - modes.share) * density(away, modes.noise);
    const double high = modes.share * density(away - modes.gap, modes.noise);
    return high / (low + high);
}

Modes find_modes(const std::vector<Run>& runs, double noise) {
    std::map<int, std::vector<double>> by_place;
    for (const Run& run : runs) by_place[run.place].push_back(run.z);
    Places places;
    std::size_t count = 0;
    for (auto& [place, z] : by_place) {
        if (z.size() < 2) continue;
        count += z.size();
        places.push_back(std::move(z));
    }
    if (static_cast<double>(count) < static_cast<double>(places.size()) + rule.freedom) return {};
    double one = -1e300;
    for (const double step : one_noise_steps) {
        one = std::max(one, log_evidence_of_one(places, noise * step));
    }
    std::optional<ModesFit> best;
    for (const double first : first_gaps) {
        ModesFit fit(places, {first * noise, 0.4, 0.4 * noise});  // where a fit begins
        if (!fit.sound() || fit.log_evidence() < one + rule.modes_gain) continue;
        if (!best || fit.log_evidence() > best->log_evidence()) best.emplace(std::move(fit));
    }
    if (!best) return {};
    one = log_evidence_of_one_by_sessions(runs, noise);
    return best->log_evidence() < one + rule.modes_gain ? Modes{} : best->modes();
}

}  // namespace vigil::search
