#include "bisect/search/spread_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bisect/search/lattice.hpp"
#include "bisect/search/rules.hpp"
#include "bisect/stats/distribution.hpp"

namespace vigil::search {

namespace {

constexpr std::size_t kinds = most_changes + 1;
constexpr double negligible = 1e-12;  // share of a segment among those that end at one place
constexpr double rare = 1e-5;         // P(two neighbouring segments) that changes no sum

/// A size is about lognormal around the expected one: octaves with binomial weights, whose
/// deviation is one octave.
constexpr std::array sizes{0.25, 0.5, 1.0, 2.0, 4.0};
constexpr std::array sizes_prior{1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0};  // binomial
constexpr double size_spread = std::numbers::ln2 / 2;  // of each, of its size: half an octave

/// P(K changes), times K! because the places of K changes have an order.
double count_prior(std::size_t changes) {
    double p = changes == 0 ? rule.no_change : 1 - rule.no_change;
    for (std::size_t k = 1; k < changes; ++k) p *= rule.further_change * static_cast<double>(k + 1);
    return p;
}

}  // namespace

SpreadFit::SpreadFit(
    const SeriesEvidence& evidence,
    const std::vector<int>& places,
    const std::vector<double>& gap_mass,
    const std::vector<SideBySide>& neighbours,
    Spreads spreads)
    : evidence_(evidence), spreads_(spreads), size_(places.size()) {
    for (const SideBySide& both : neighbours) {
        neighbours_.emplace_back();
        if (both.share > 0) neighbours_.back() = both.seen(spreads.jitter * spreads.jitter);
    }
    const Lattice lattice = make_lattice(evidence, places, spreads.sigma, spreads.jitter);
    spacing_ = lattice.spacing;
    measure_segments(lattice.rows, lattice.levels);
    go_forward(gap_mass);
    go_backward();
    log_evidence_ = lattice.log_evidence + std::log(total_);
}

void SpreadFit::measure_segments(
    const std::vector<std::vector<double>>& rows, const std::vector<double>& levels) {
    weight_.assign(size_ * size_, 0);
    mean_.assign(size_ * size_, 0);
    variance_.assign(size_ * size_, 0);
    for (std::size_t first = 0; first < size_; ++first) {
        std::vector<double> product(levels.size(), 1.0);
        double same = 1;
        for (std::size_t last = first; last < size_; ++last) {
            if (last > first) same *= unchanged(last - 1);
            double sum = 0, moment = 0, square = 0;
            for (std::size_t l = 0; l < levels.size(); ++l) {
                product[l] *= rows[last][l];
                sum += product[l];
                moment += product[l] * levels[l];
                square += product[l] * levels[l] * levels[l];
            }
            if (!(sum > 1e-290)) break;  // no level fits these places: the rest stays 0
            const std::size_t i = at(first, last);
            weight_[i] = sum * spacing_ * same;
            mean_[i] = moment / sum;
            // A rectangle of width w has the variance w * w / 12.
            variance_[i] = std::max(square / sum - mean_[i] * mean_[i], spacing_ * spacing_ / 12);
        }
    }
}

/// The density of what both sides of a gap differ by, run together, if nothing changed in it.
double SpreadFit::unchanged(std::size_t gap) const {
    const auto& both = neighbours_[gap];
    return both ? both->scale * stats::normal_density(both->change, 0, both->variance) : 1;
}

/// Levels and neighbours see the same change, each with an error.
SpreadFit::Seen SpreadFit::seen(std::size_t from, std::size_t to, std::size_t gap) const {
    const double change = mean_[to] - mean_[from];
    const double variance = variance_[to] + variance_[from];
    const auto& both = neighbours_[gap];
    if (!both) return {change, variance, 1};
    const double wide = both->variance;
    return {
        (change * wide + both->change * variance) / (variance + wide),
        variance * wide / (variance + wide),
        both->scale * stats::normal_density(change, both->change, variance + wide)};
}

/// The prior density of a jump, blurred by what is not known of the two levels.
double SpreadFit::jump(double change, double variance) const {
    constexpr double far = 50;  // squared deviations: nothing is left of a Gaussian
    const auto component = [&](double size) {
        const double spread = size_spread * size;
        const double blurred = spread * spread + variance;
        const double up = change - size;
        const double down = change + size;
        double both = 0;
        if (up * up < far * blurred)
            both += rule.worse_prior * stats::normal_density(up, 0, blurred);
        if (down * down < far * blurred) {
            both += (1 - rule.worse_prior) * stats::normal_density(down, 0, blurred);
        }
        return both;
    };
    double density = sizes_prior.back() * beyond(change);
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        density += sizes_prior[c] * component(sizes[c] * evidence_.expected);
    }
    return density;
}

/// The density of sizes far above what is expected; its blur is nothing beside its width.
double SpreadFit::beyond(double change) const {
    const double from = sizes.back() * evidence_.expected;
    const double size = std::abs(change);
    if (size < from) return 0;
    return (change > 0 ? rule.worse_prior : 1 - rule.worse_prior) * from / (size * size);
}

/// P(a jump that was seen as `change` is not too small to matter).
double SpreadFit::share_of_notable(double change, double variance) const {
    const double least = evidence_.least;
    double all = 0;
    double small = 0;
    const auto add = [&](double weight, double size) {
        const double spread = size_spread * std::abs(size);
        const double blurred = spread * spread + variance;
        const double p = weight * stats::normal_density(change, size, blurred);
        const double mean = (size * variance + change * spread * spread) / blurred;
        const double deviation = spread * std::sqrt(variance / blurred);
        all += p;
        small += p * (stats::normal_cdf((least - mean) / deviation) -
                      stats::normal_cdf((-least - mean) / deviation));
    };
    const auto add_both = [&](double weight, double size) {
        add(weight * rule.worse_prior, size);
        add(weight * (1 - rule.worse_prior), -size);
    };
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        add_both(sizes_prior[c], sizes[c] * evidence_.expected);
    }
    all += sizes_prior.back() * beyond(change);
    return all > 0 ? 1 - small / all : 1;
}

void SpreadFit::go_forward(const std::vector<double>& gap_mass) {
    forward_.assign(kinds * size_ * size_, 0);
    step_start_.assign(size_ * size_, 0);
    for (std::size_t last = 0; last < size_; ++last)
        forward_[at(0, 0, last)] = weight_[at(0, last)];
    for (std::size_t last = 0; last < size_; ++last) {
        double all = 0;
        for (std::size_t first = 0; first <= last; ++first) all += reached(first, last);
        for (std::size_t first = 0; first <= last; ++first) {
            step_start_[at(first, last)] = steps_.size();
            steps_.resize(steps_.size() + (size_ - last - 1), 0.0);
            // Most segments fit badly, and cost as much as those that matter.
            if (reached(first, last) <= negligible * all) continue;
            if (gap_mass[std::min(last, size_ - 2)] > 0) go_on(first, last, gap_mass);
        }
    }
}

/// How likely the places up to `last` are with a last segment from `first` on.
double SpreadFit::reached(std::size_t first, std::size_t last) const {
    double sum = 0;
    for (std::size_t k = 0; k < kinds; ++k) sum += forward_[at(k, first, last)];
    return sum;
}

void SpreadFit::go_on(std::size_t first, std::size_t last, const std::vector<double>& gap_mass) {
    const std::size_t from = at(first, last);
    for (std::size_t next = last + 1; next < size_; ++next) {
        const std::size_t to = at(last + 1, next);
        if (weight_[to] <= 0) continue;
        const Seen both = seen(from, to, last);
        const double step =
            gap_mass[last] * weight_[to] * both.density * jump(both.change, both.variance);
        steps_[step_at(first, last, next)] = step;
        for (std::size_t k = 0; k + 1 < kinds; ++k) {
            forward_[at(k + 1, last + 1, next)] += forward_[at(k, first, last)] * step;
        }
    }
}

void SpreadFit::go_backward() {
    backward_.assign(kinds * size_ * size_, 0);
    for (std::size_t first = size_; first-- > 0;) {
        for (std::size_t k = 0; k < kinds; ++k) {
            backward_[at(k, first, size_ - 1)] = count_prior(k);
            for (std::size_t last = first; last + 1 < size_; ++last) {
                double sum = 0;
                for (std::size_t next = last + 1; k + 1 < kinds && next < size_; ++next) {
                    sum +=
                        steps_[step_at(first, last, next)] * backward_[at(k + 1, last + 1, next)];
                }
                backward_[at(k, first, last)] = sum;
            }
        }
    }
    total_ = 1e-300;
    for (std::size_t last = 0; last < size_; ++last) {
        total_ += forward_[at(0, 0, last)] * backward_[at(0, 0, last)];
    }
}

/// P(the net change over all changes is below `between`); three changes are never called small.
double SpreadFit::share_of_small() const {
    const auto below = [&](std::size_t first_last, std::size_t last_first) {
        const std::size_t a = at(0, first_last);
        const std::size_t b = at(last_first, size_ - 1);
        const double deviation = std::sqrt(variance_[a] + variance_[b]);
        return stats::normal_cdf((evidence_.between - (mean_[b] - mean_[a])) / deviation);
    };
    double sum = weight_[at(0, size_ - 1)] * count_prior(0);
    for (std::size_t i = 0; i + 1 < size_; ++i) {
        const double start = weight_[at(0, i)];
        sum += start * steps_[step_at(0, i, size_ - 1)] * count_prior(1) * below(i, i + 1);
        for (std::size_t j = i + 1; j + 1 < size_; ++j) {
            const double both =
                steps_[step_at(0, i, j)] * steps_[step_at(i + 1, j, size_ - 1)] * count_prior(2);
            if (both > 0) sum += start * both * below(i, j + 1);
        }
    }
    return sum / total_;
}

SpreadFit::FitSummary SpreadFit::summarise() const {
    FitSummary s;
    s.changed.assign(size_ - 1, 0);
    s.effect.assign(size_ - 1, 0);
    s.square.assign(size_ - 1, 0);
    s.notable.assign(size_ - 1, 0);
    s.segment_p.assign(size_ * size_ * kinds, 0);
    s.mean = mean_;
    s.variance = variance_;
    for (std::size_t first = 0; first < size_; ++first) {
        for (std::size_t last = first; last < size_; ++last) {
            for (std::size_t k = 0; k < kinds; ++k) {
                const double f = forward_[at(k, first, last)];
                const double p = f * backward_[at(k, first, last)] / total_;
                s.segment_p[at(first, last) * kinds + k] = p;
                if (first == 0) s.net -= p * mean_[at(first, last)];
                if (last + 1 == size_) {
                    s.net += p * mean_[at(first, last)];
                    continue;
                }
                s.changed[last] += p;
                for (std::size_t next = last + 1; k + 1 < kinds && next < size_; ++next) {
                    const double pair = f * steps_[step_at(first, last, next)] *
                                        backward_[at(k + 1, last + 1, next)] / total_;
                    const std::size_t from = at(first, last), to = at(last + 1, next);
                    const auto [change, variance, density] = seen(from, to, last);
                    s.effect[last] += pair * change;
                    s.square[last] += pair * (change * change + variance);
                    s.notable[last] +=
                        pair > rare ? pair * share_of_notable(change, variance) : pair;
                }
            }
        }
    }
    s.small = share_of_small();
    return s;
}

}  // namespace vigil::search
