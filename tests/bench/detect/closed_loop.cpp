#include "tests/bench/detect/closed_loop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "bisect/detect/series_watch.hpp"
#include "schema/model/error.hpp"
#include "tests/bench/detect/world.hpp"

namespace vigil::bench {

namespace {

constexpr double threshold = 0.07;
constexpr int clean_nights = 60;
constexpr int nights_from_step = 4;
constexpr std::array sizes{.02, .035, .05, .06, .07, .075, .08, .10, .15};

/// One series, until it is filed or its nights are over.
class Loop {
  public:
    Loop(World& world, const Change& change)
        : world_(world), change_(change), watch_(rules(), -World::history, history()) {}

    Played play() {
        for (int t = 0; t < world_.nights() && !played_.filed; ++t) play_night(t);
        return played_;
    }

  private:
    detect::LoopRules rules() const {
        detect::LoopRules rules;
        rules.direction = world_.direction();
        rules.bar.threshold = threshold;
        rules.kind = world_.kind();
        return rules;
    }

    std::vector<std::vector<double>> history() const {
        std::vector<std::vector<double>> nights;
        for (int t = -World::history; t < 0; ++t) nights.push_back(world_.night(t));
        return nights;
    }

    void play_night(int t) {
        ++played_.nights;
        auto step = watch_.take_night(world_.night(t));
        int runs = 0;
        while (!step.ending) {
            std::vector<double> results;
            for (const int build : step.runs) results.push_back(world_.run(t, runs++, build));
            step = watch_.take_runs(results);
        }
        played_.runs += runs;
        if (t >= change_.night) played_.runs_from_step += runs;
        const auto& ending = *step.ending;
        if (!ending.verdict) return;
        note(t, ending);
    }

    void note(int t, const detect::NightEnding& ending) {
        const double truth = std::expm1(world_.truth(ending.old_build, ending.new_build));
        const auto& c = ending.comparison;
        const bool filed = *ending.verdict == Verdict::regression;
        played_.told.push_back(
            {filed, truth > threshold, c.low <= truth && truth <= c.high, c.above});
        if (!filed) return;
        played_.filed = t - change_.night + 1;
        played_.right = change_.ratio > 0 && ending.old_build < change_.night &&
                        change_.night <= ending.new_build;
    }

    World& world_;
    Change change_;
    detect::SeriesWatch watch_;
    Played played_;
};

}  // namespace

std::uint64_t seed_of(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

Played play_series(World& world, const Change& change) {
    return Loop(world, change).play();
}

namespace {

/// Upper end of a one-sided 95 % interval of a Poisson mean after so many events.
double poisson_bound(int events) {
    double low = 0, high = 3.0 * events + 10;
    for (int i = 0; i < 60; ++i) {
        const double mean = (low + high) / 2;
        double term = std::exp(-mean), sum = term;
        for (int k = 1; k <= events; ++k) sum += term *= mean / k;
        (sum > .05 ? low : high) = mean;
    }
    return high;
}

/// Stated probabilities against how often they held.
struct Calibration {
    static constexpr std::array edges{0., .05, .2, .5, .6, .7, .8, .9, .95, .99, 1.0001};
    std::array<std::array<int, 2>, edges.size() - 1> stated{}, held{};  ///< [bin][filed]
    std::array<std::array<double, 2>, edges.size() - 1> sum{};          ///< of what was stated
    std::array<int, 2> intervals{}, hold{};                             ///< [filed]

    void add(const Told& told) {
        const auto bin = static_cast<std::size_t>(
            std::upper_bound(edges.begin(), edges.end() - 1, told.p_above) - edges.begin() - 1);
        for (const std::size_t filed : {0UL, 1UL}) {
            if (filed == 1 && !told.filed) continue;
            ++stated[bin][filed];
            sum[bin][filed] += told.p_above;
            held[bin][filed] += told.above ? 1 : 0;
            ++intervals[filed];
            hold[filed] += told.inside ? 1 : 0;
        }
    }

    void print() const {
        const auto share = [](double a, int b) { return b > 0 ? a / b : NAN; };
        std::printf("stated P(above): mean stated, held, n of all verdicts; of the filed ones\n");
        for (std::size_t bin = 0; bin < stated.size(); ++bin) {
            std::printf("  %.2f-%.2f", edges[bin], std::min(edges[bin + 1], 1.0));
            for (const std::size_t filed : {0UL, 1UL}) {
                const int n = stated[bin][filed];
                std::printf(
                    "  %.3f %.3f %6d", share(sum[bin][filed], n), share(held[bin][filed], n), n);
            }
            std::printf("\n");
        }
        std::printf(
            "  90 %% intervals hold %.3f (%d), of the filed ones %.3f (%d)\n",
            share(hold[0], intervals[0]),
            intervals[0],
            share(hold[1], intervals[1]),
            intervals[1]);
    }
};

class Judge {
  public:
    Judge(const LoopOptions& options, const NoiseKind& noise) : options_(options), noise_(noise) {}

    void print_clean() {
        int nights = 0, runs = 0, wrong = 0;
        for (int k = 0; k < options_.clean_series; ++k) {
            const auto played = play({}, clean_nights, "clean", k);
            nights += played.nights;
            runs += played.runs;
            wrong += played.filed ? 1 : 0;
        }
        if (nights == 0) return;
        std::printf(
            "%-13s %d false in %d nights (below %.3f per 1000 at 95 %%), %.4g runs a night\n",
            noise_.name.data(),
            wrong,
            nights,
            1000 * poisson_bound(wrong) / nights,
            static_cast<double>(runs) / nights);
    }

    void print_steps() {
        for (const double size : sizes) {
            std::array<int, 3> by{};
            int wrong = 0, runs = 0, filed = 0;
            for (int k = 0; k < options_.series; ++k) {
                const auto name = std::to_string(size);
                const auto played = play_step(size, name, k);
                runs += played.runs_from_step;
                filed += played.right ? 1 : 0;
                wrong += played.filed && !played.right ? 1 : 0;
                for (int night = 1; night <= 3; ++night) {
                    by[static_cast<std::size_t>(night - 1)] +=
                        played.right && *played.filed <= night ? 1 : 0;
                }
            }
            if (options_.series == 0) return;
            std::printf("  %+5.1f %%  filed by night 1/2/3", 100 * size);
            for (const int n : by) std::printf(" %.3f", static_cast<double>(n) / options_.series);
            std::printf(
                ", %.1f runs for each filed, %d filed wrongly\n",
                static_cast<double>(runs) / std::max(filed, 1),
                wrong);
        }
    }

    void play_even(Calibration& calibration) {
        for (int k = 0; k < options_.even_series; ++k) {
            const std::string name = "even";
            Random random(seed_of(
                options_.word + "/size/" + std::string(noise_.name) + "/" + std::to_string(k)));
            const auto played = play_step(.15 * random.uniform(), name, k);
            for (const Told& told : played.told) calibration.add(told);
        }
    }

    bool has_offsets() const {
        return noise_.layout > 0 || noise_.mode > 0 || noise_.grain != Grain::none;
    }

  private:
    Played play_step(double size, const std::string& name, int k) {
        Random random(static_cast<std::uint64_t>(k));
        Change change;
        change.ratio = size;
        change.night = 3 + static_cast<int>(random.uniform() * 8);
        return play(change, change.night + nights_from_step, name, k);
    }

    Played play(const Change& change, int nights, const std::string& name, int k) {
        const auto text = options_.word + "/" + std::string(noise_.name) + "/" + name + "/";
        World world(noise_, change, nights, seed_of(text + std::to_string(k)));
        return play_series(world, change);
    }

    const LoopOptions& options_;
    const NoiseKind& noise_;
};

}  // namespace

void print_closed_loop(const LoopOptions& options) {
    for (const auto& name : options.noises) {
        const auto kinds = noise_kinds();
        const auto same = [&](const NoiseKind& noise) { return noise.name == name; };
        if (std::none_of(kinds.begin(), kinds.end(), same)) {
            throw Error(Errc::invalid_argument, "simulating: no noise is named '" + name + "'");
        }
    }
    Calibration calibration;
    for (const NoiseKind& noise : noise_kinds()) {
        const auto& names = options.noises;
        const bool asked =
            names.empty() || std::find(names.begin(), names.end(), noise.name) != names.end();
        if (!asked) continue;
        Judge judge(options, noise);
        judge.print_clean();
        judge.print_steps();
        if (!judge.has_offsets()) judge.play_even(calibration);
        std::fflush(stdout);
    }
    std::printf("sizes drawn evenly from 0 to 15 %%, builds without offsets\n");
    calibration.print();
}

}  // namespace vigil::bench
