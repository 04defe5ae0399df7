#include "tests/bench/detect/sensitivity.hpp"

#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "bisect/detect/rules.hpp"
#include "schema/model/error.hpp"
#include "tests/bench/detect/closed_loop.hpp"
#include "tests/bench/rules/vary.hpp"

namespace vigil::bench {

namespace {

using detect::DetectRules;

constexpr int clean_nights_played = 40;
constexpr int nights_to_file = 4;

const std::vector<NamedRule<DetectRules>>& detect_rules() {
#define VIGIL_RULE(name) named_rule(#name, &DetectRules::name),
    static const std::vector<NamedRule<DetectRules>> all{
#include "detect_rule_names.inc"
    };
#undef VIGIL_RULE
    return all;
}

/// Of one noise: a clean series, and one with a step.
struct Pair {
    double runs = 0;     ///< a clean night
    bool wrong = false;  ///< filed though there is no step, or a small one
    bool missed = false;
};

/// Steps that are to be filed, and below them such that are not.
constexpr std::array steps{.08, .10, .15, .05, .12, .20, .09, .035};
constexpr double to_be_filed = .075;

Pair play(const SensitivityOptions& options, const NoiseKind& noise, int k) {
    const auto seed = [&](const char* what) {
        return seed_of(fmt::format("{}/{}/{}/{}", options.word, noise.name, what, k));
    };
    World clean(noise, {}, clean_nights_played, seed("clean"));
    const Played quiet = play_series(clean, {});
    Change change;
    change.ratio = steps[static_cast<std::size_t>(k) % steps.size()];
    change.night = 3 + k % 8;
    World stepped(noise, change, change.night + nights_to_file, seed("step"));
    const Played step = play_series(stepped, change);
    const bool large = change.ratio > to_be_filed;
    Pair pair;
    pair.runs = static_cast<double>(quiet.runs) / quiet.nights;
    pair.wrong = quiet.filed || (step.filed && !(large && step.right));
    pair.missed = large && !(step.filed && step.right);
    return pair;
}

std::vector<Pair> play_round(const SensitivityOptions& options, int k) {
    std::vector<Pair> pairs;
    for (const NoiseKind& noise : noise_kinds()) pairs.push_back(play(options, noise, k));
    return pairs;
}

using Rounds = std::vector<std::vector<Pair>>;

/// Plays the series once more by the rules as they are set now.
std::string against(const SensitivityOptions& options, const Rounds& usual) {
    const int enough = options.series / 3;  // rounds without a difference
    Mean wrong, missed, runs, runs_usual;
    int differ = 0, round = 0;
    for (; round < static_cast<int>(usual.size()); ++round) {
        if (round >= enough && differ == 0) break;
        const auto now = play_round(options, round);
        for (std::size_t i = 0; i < now.size(); ++i) {
            const Pair& before = usual[static_cast<std::size_t>(round)][i];
            differ += now[i].runs != before.runs || now[i].wrong != before.wrong ||
                      now[i].missed != before.missed;
            wrong.add(now[i].wrong - before.wrong);
            missed.add(now[i].missed - before.missed);
            runs.add(now[i].runs - before.runs);
            runs_usual.add(before.runs);
        }
    }
    const auto pairs = static_cast<std::size_t>(round) * noise_kinds().size();
    if (differ == 0) return fmt::format("none of {} | | | |", pairs);
    const auto shown = [](const Mean& m, double unit) {
        return fmt::format("{:+.2f} ± {:.2f}", m.mean() / unit, 1.96 * m.error() / unit);
    };
    return fmt::format(
        "{} of {} | {} | {} | {} |",
        differ,
        pairs,
        shown(missed, 0.01),
        shown(wrong, 0.01),
        shown(runs, 0.01 * runs_usual.mean()));
}

Rounds play_usual(const SensitivityOptions& options) {
    Rounds rounds;
    Mean wrong, missed, runs;
    for (int k = 0; k < options.series; ++k) {
        rounds.push_back(play_round(options, k));
        for (const Pair& pair : rounds.back()) {
            wrong.add(pair.wrong);
            missed.add(pair.missed);
            runs.add(pair.runs);
        }
    }
    std::printf(
        "%d pairs of series of %s: missed %.2f %%, false %.2f %%, %.3f runs a clean night\n\n",
        options.series * static_cast<int>(noise_kinds().size()),
        options.word.c_str(),
        100 * missed.mean(),
        100 * wrong.mean(),
        runs.mean());
    std::puts("| Rule | Value | Pairs that differ | Missed, points | False, points | Runs, % |");
    std::puts("| --- | --- | --- | --- | --- | --- |");
    return rounds;
}

}  // namespace

void print_sensitivity(const SensitivityOptions& options) {
    DetectRules changed = detect::rule;
    if (!set_rules(detect_rules(), options.set, changed)) {
        throw Error(Errc::invalid_argument, "varying rules: no such rule");
    }
    const auto usual = play_usual(options);
    if (!options.set.empty()) {
        detect::rule = changed;
        print_row(options.set, "", against(options, usual));
        return;
    }
    for (const auto& rule : detect_rules()) {
        if (!rule.name.starts_with(options.prefix)) continue;
        const auto value = rule.get(detect::rule);
        for (const double factor : {0.5, 2.0}) {
            rule.set(detect::rule, varied(value, factor));
            const auto name = factor < 1 ? rule.name : "";
            print_row(name, words_of(rule.get(detect::rule)), against(options, usual));
        }
        rule.set(detect::rule, value);
    }
}

}  // namespace vigil::bench
