#include "bisect/search/choose.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bisect/search/build_levels.hpp"
#include "bisect/search/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "bisect/stats/together.hpp"

namespace vigil::search {

namespace {

constexpr double too_rare = 1e-5;                            // a level that teaches nothing
constexpr std::array run_choices{1, 2, 3, 4, 6, 8, 12, 16};  // half octaves, about

double entropy(double p) {
    if (p <= 0 || p >= 1) return 0;
    return -p * std::log2(p) - (1 - p) * std::log2(1 - p);
}

/// One series' view of one commit.
struct View {
    const SearchedSeries* open = nullptr;
    CommitLevels levels;
    double q = 0;    ///< P(a change lies before the commit)
    double low = 0;  ///< the same for the nearest pending commits around
    double high = 1;
    bool split = false;  ///< a pending commit answers a part
};

double changed_before(const Posterior& posterior, int place) {
    return 1 - posterior.levels(place).p[0];
}

/// Pending commits split what is left to learn; nothing is left where one stands already, or it may
/// not build.
std::optional<View> view_of(
    const Choice& choice,
    const SearchedSeries& open,
    int commit,
    const std::vector<Pending>& pending) {
    const int place = choice.line.place(commit);
    if (!open.may_build && !choice.availability.built(commit)) return std::nullopt;
    View view;
    view.open = &open;
    view.levels = levels_of_build(*open.evidence, *open.posterior, place);
    view.q = 1 - view.levels.p[0];
    for (const Pending& other : pending) {
        if (std::find(other.series.begin(), other.series.end(), open.series) == other.series.end())
            continue;
        if (other.commit == commit) return std::nullopt;
        view.split = true;
        const double q = changed_before(*open.posterior, choice.line.place(other.commit));
        if (other.commit < commit) view.low = std::max(view.low, q);
        if (other.commit > commit) view.high = std::min(view.high, q);
    }
    return view;
}

/// Runs that show both modes tell the level; where all are of one, it is not known of which.
double information_of_runs(
    const CommitLevels& levels, double variance, const Modes& modes, int runs) {
    if (!modes.two()) return information(levels, variance);
    const double lower = std::pow(1 - modes.share, runs);
    const double upper = std::pow(modes.share, runs);
    const double same = lower + upper;
    return (1 - same) * information(levels, variance) +
           same * information(levels, variance, modes.gap, upper / same);
}

/// Of the mean of a commit's runs in one session: theirs, and that of the session's offset.
double variance_of(const View& view, int runs) {
    const double sigma = view.open->posterior->own_noise();
    const double one = robust_price * sigma * sigma;
    const double offset = std::pow(view.open->evidence->offset_sd, 2);
    return one / runs + offset * one / (offset + one);
}

double bits_of(const View& view, int runs) {
    const double bits =
        information_of_runs(view.levels, variance_of(view, runs), view.open->evidence->modes, runs);
    if (!view.split) return bits;
    const double width = view.high - view.low;
    const double whole = entropy(view.q);
    if (width <= 1e-9 || whole <= 1e-9) return 0;
    const double share = std::clamp((view.q - view.low) / width, 0.0, 1.0);
    return width * entropy(share) * std::min(bits / whole, 1.0);
}

/// The processes of a probe, for all its series: series of one variant share their process, so a
/// further series costs less than the first.
double cost_of(int runs, std::size_t series, double change) {
    return (runs + 1) * (1 + static_cast<double>(series)) / 2 + change;
}

struct Bundle {
    ProbeOption::GroupProbe part;
    double cost = 0;
};

Bundle bundle(const Costs& costs, const std::vector<View>& views, int group, int runs) {
    Bundle made;
    made.part = {group, runs, runs, {}, 0};
    std::vector<double> bits;
    for (const View& view : views) bits.push_back(bits_of(view, runs));
    for (std::size_t i = 0; i < views.size(); ++i) {
        if (bits[i] < rule.least_bits) continue;
        made.part.series.push_back(views[i].open->series);
        made.part.bits += bits[i];
    }
    made.cost = cost_of(runs, made.part.series.size(), 2 * costs.change);
    return made;
}

/// What is worth several runs is asked for in parts: the number of runs, up to these, that is most
/// exact for its cost. The runs of a session share the error of its offset, and after each part it
/// is known better what to ask.
int most_exact(const Costs& costs, const View& view, std::size_t series, int runs) {
    int best = 1;
    double best_rate = 0;
    for (int tried = 1; tried <= runs; ++tried) {
        const double cost = cost_of(tried, series, 2 * costs.change);
        const double rate = 1 / (variance_of(view, tried) * cost);
        if (rate <= best_rate * (1 + 1e-12)) continue;
        best = tried;
        best_rate = rate;
    }
    return best;
}

/// The number of runs that pays best, of which a part is asked for.
Bundle best_bundle(
    const Costs& costs, const std::vector<View>& views, int group, double shared_cost) {
    Bundle best;
    double best_rate = -1;
    for (const int runs : run_choices) {
        const Bundle tried = bundle(costs, views, group, runs);
        if (tried.part.series.empty()) continue;
        const double rate = tried.part.bits / (shared_cost + tried.cost);
        if (rate > best_rate) {
            best = tried;
            best_rate = rate;
        } else if (rate < 0.5 * best_rate) {
            break;
        }
    }
    if (best.part.series.empty()) return best;
    const auto lead = std::find_if(views.begin(), views.end(), [&](const View& view) {
        return view.open->series == best.part.series.front();
    });
    best.part.first = most_exact(costs, *lead, best.part.series.size(), best.part.runs);
    return best;
}

/// The middles of the stretches that failing commits leave: the edge of a broken block is found by
/// halving what lies before it.
void add_middles(const std::vector<int>& usable, std::set<int>& candidates) {
    for (std::size_t first = 0; first < usable.size();) {
        std::size_t end = first + 1;
        while (end < usable.size() && usable[end] == usable[end - 1] + 1) ++end;
        candidates.insert(usable[first + (end - first) / 2]);
        first = end;
    }
}

/// What is built on both sides of the middle.
void add_built(
    const Choice& choice,
    int from,
    int to,
    const std::vector<int>& usable,
    std::set<int>& candidates) {
    const double middle = choice.line.mass(from, to) / 2;
    int below = 0;
    for (const int commit : usable) {
        if (!choice.availability.built(commit)) continue;
        if (choice.line.mass(from, commit) < middle) {
            below = commit;
            continue;
        }
        candidates.insert(commit);
        break;
    }
    if (below > 0) candidates.insert(below);
}

void add_quantiles(
    const Choice& choice, int from, int to, std::set<int>& candidates, bool failures) {
    const auto usable = narrowing_commits(choice.line, choice.availability, from, to);
    if (usable.empty()) return;
    std::vector<double> quantiles{0.5};
    // Quarters for several workers; more places where some commits will not be built.
    if (choice.workers > 1) quantiles.insert(quantiles.end(), {0.25, 0.75});
    // Between them.
    if (failures) quantiles.insert(quantiles.end(), {0.15, 0.3, 0.7, 0.85});
    const double mass = choice.line.mass(from, to);
    for (const double quantile : quantiles) {
        int nearest = usable.front();
        double away = 2;
        for (const int commit : usable) {
            const double distance = std::abs(choice.line.mass(from, commit) / mass - quantile);
            if (distance < away - 1e-12) {
                away = distance;
                nearest = commit;
            }
        }
        candidates.insert(nearest);
    }
    if (failures) add_middles(usable, candidates);
    add_built(choice, from, to, usable, candidates);
}

std::set<int> candidates_of(const Choice& choice) {
    std::set<int> candidates;
    for (const SearchedSeries& open : choice.open) {
        const auto& places = open.posterior->places();
        for (int gap = 0; gap < open.posterior->gaps(); ++gap) {
            const int from = places[static_cast<std::size_t>(gap)];
            const int to = places[static_cast<std::size_t>(gap) + 1];
            if (open.posterior->changed(gap) <= rule.least_bits) continue;
            const bool failures = choice.availability.failures_between(from, to);
            add_quantiles(choice, from, to, candidates, failures);
        }
        for (const int place : places) {
            const auto levels = open.posterior->levels(place);
            double bits = 0;
            for (const double p : levels.p) bits -= p > 0 ? p * std::log2(p) : 0;
            if (place != 0 && bits > rule.least_bits) {
                candidates.insert(place);
            }
        }
    }
    return candidates;
}

ProbeOption weigh(const Choice& choice, int commit, const std::vector<Pending>& pending) {
    std::map<int, std::vector<View>> groups;
    for (const SearchedSeries& open : choice.open) {
        if (auto view = view_of(choice, open, commit, pending)) {
            groups[open.group].push_back(*view);
        }
    }
    const bool in_hand = choice.availability.built(commit) ||
                         std::any_of(pending.begin(), pending.end(), [&](const Pending& p) {
                             return p.commit == commit;
                         });
    const double build = in_hand ? 0 : choice.costs.build;
    ProbeOption option;
    option.commit = commit;
    double cost = build;
    for (const auto& [group, views] : groups) {
        const double shared = build / static_cast<double>(groups.size());
        Bundle best = best_bundle(choice.costs, views, group, shared);
        if (best.part.series.empty()) continue;
        option.bits += best.part.bits;
        cost += best.cost;
        option.parts.push_back(std::move(best.part));
    }
    std::stable_sort(option.parts.begin(), option.parts.end(), [](const auto& a, const auto& b) {
        return a.bits > b.bits;
    });
    option.rate = option.bits * choice.availability.chance(commit) / cost;
    return option;
}

}  // namespace

std::vector<int> narrowing_commits(
    const Line& line, const Availability& availability, int from, int to) {
    std::vector<int> usable;
    for (int commit = from + 1; commit < to; ++commit) {
        const bool narrows = line.mass(from, commit) > 0 && line.mass(commit, to) > 0;
        if (narrows && line.place(commit) == commit && availability.chance(commit) > 0) {
            usable.push_back(commit);
        }
    }
    return usable;
}

double information(const CommitLevels& levels, double variance, double gap, double share) {
    // Gauss-Hermite abscissas and weights for the standard normal, 11 points.
    constexpr std::array abscissas{
        0.0,
        0.928868997381063940,
        1.87603502015484584,
        2.86512316064364499,
        3.93616660712997692,
        5.18800122437487094};
    // Of these abscissas, likewise.
    constexpr std::array weights{
        0.369408369408369408,
        0.242240299873970027,
        0.0661387460710576441,
        0.00672028523553727940,
        0.000195671930271223244,
        8.12184979021498357e-07};
    const auto density = [&](std::size_t n, double y) {
        const double wide = levels.variance[n] + variance;
        const double plain = stats::normal_density(y, levels.mean[n], wide);
        if (share <= 0) return plain;
        return (1 - share) * plain + share * stats::normal_density(y, levels.mean[n] + gap, wide);
    };
    double bits = 0;
    for (std::size_t n = 0; n < levels.p.size(); ++n) {
        if (levels.p[n] <= too_rare) continue;
        const double deviation = std::sqrt(levels.variance[n] + variance);
        const auto gain_at = [&](double y) {
            double any = 0;
            for (std::size_t m = 0; m < levels.p.size(); ++m) {
                if (levels.p[m] > too_rare) any += levels.p[m] * density(m, y);
            }
            return std::log2(density(n, y) / any);
        };
        const auto gain_around = [&](double mean) {
            double sum = weights[0] * gain_at(mean);
            for (std::size_t i = 1; i < abscissas.size(); ++i) {
                const double away = deviation * abscissas[i];
                sum += weights[i] * (gain_at(mean + away) + gain_at(mean - away));
            }
            return sum;
        };
        double gain = gain_around(levels.mean[n]);
        if (share > 0) gain = (1 - share) * gain + share * gain_around(levels.mean[n] + gap);
        bits += levels.p[n] * gain;
    }
    return std::max(bits, 0.0);
}

std::optional<ProbeOption> choose(const Choice& choice, const std::vector<Pending>& pending) {
    std::optional<ProbeOption> best;
    for (const int commit : candidates_of(choice)) {
        ProbeOption option = weigh(choice, commit, pending);
        if (option.bits < rule.least_bits || option.parts.empty()) continue;
        if (!best || option.rate > best->rate * (1 + 1e-12)) best = std::move(option);
    }
    return best;
}

std::vector<int> interleave(int a, int b, int runs) {
    std::vector<int> order;
    for (int i = 0; i < runs; ++i) {
        order.push_back(i % 2 == 0 ? a : b);
        order.push_back(i % 2 == 0 ? b : a);
    }
    return order;
}

std::vector<int> groups_of(int commit, int runs, int control, int other, int at_once) {
    for (int controls = 1;; ++controls) {
        // Only the number of positions tells the groups, as long as none is of one commit alone.
        std::vector<int> order;
        for (int i = 0; i < runs + controls; ++i) order.push_back(i);
        const auto groups = stats::run_groups(order, at_once);
        if (static_cast<int>(groups.size()) > controls) continue;
        std::fill(order.begin(), order.end(), commit);
        for (const auto& group : groups) {
            order[static_cast<std::size_t>(group.front())] = control;
            std::swap(control, other);
        }
        return order;
    }
}

}  // namespace vigil::search
