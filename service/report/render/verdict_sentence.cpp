#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

namespace vigil::service {

namespace {

/// "takes 18.3 % more CPU time", in the words of the metric.
std::string worsening(const SeriesFact& series, std::string_view verb_suffix) {
    const Comparison& comparison = best_comparison(series);
    const std::string size = text::share(comparison.change_ratio);
    if (series.verdict == Verdict::leak) {
        return fmt::format("leak{} memory with every iteration", verb_suffix);
    }
    switch (kind_of(series.metric)) {
        case MetricKind::time:
            return fmt::format("take{} {} more {}", verb_suffix, size, metric_words(series.metric));
        case MetricKind::memory:
            return fmt::format("need{} {} more {}", verb_suffix, size, metric_words(series.metric));
        case MetricKind::other: break;
    }
    return fmt::format("report{} a value that is {} worse", verb_suffix, size);
}

std::string figures(const SeriesFact& series) {
    const Comparison& comparison = best_comparison(series);
    if (comparison.runs_before == 0) return "";
    return fmt::format(
        " ({} before, {} after)",
        text::quantity(comparison.before, series.unit),
        text::quantity(comparison.after, series.unit));
}

/// What the sentence is about: the series that are still worse, or all where none is, or each is.
std::vector<const SeriesFact*> told_series(const RegressionFacts& facts) {
    std::vector<const SeriesFact*> worse;
    std::vector<const SeriesFact*> all;
    for (const auto& series : facts.series) {
        all.push_back(&series);
        if (series.recovered_night.empty()) worse.push_back(&series);
    }
    return worse.empty() ? all : worse;
}

std::string others(const RegressionFacts& facts) {
    const std::size_t more = told_series(facts).size() - 1;
    if (more == 0) return "";
    return fmt::format(
        ", and {} of {} with it",
        text::counted(std::int64_t(more), "more series", "more series"),
        text::code_span(facts.project, 40));
}

/// "makes `mlp` (`train`) on `xeon` take 18.3 % more CPU time (12.30 ms before, 14.55 ms after)".
std::string effect_of_commit(const RegressionFacts& facts, std::string_view makes) {
    const SeriesFact& first = *told_series(facts).front();
    if (first.verdict == Verdict::broken) {
        return fmt::format("{} {}{} stop working", makes, series_words(first), others(facts));
    }
    return fmt::format(
        "{} {} {}{}{}",
        makes,
        series_words(first),
        worsening(first, ""),
        figures(first),
        others(facts));
}

/// ", brought by the merge `1a2b3c4d5e`,": the outermost, which is on the line.
std::string brought_by(const RegressionFacts& facts) {
    for (const auto& inside : facts.insides) {
        if (inside.led)
            return ", brought by the merge " + commit_ref(facts.links, inside.merge) + ",";
    }
    return "";
}

/// "`mlp` (`train`) on `xeon` takes 18.3 % more CPU time (...)".
std::string effect(const RegressionFacts& facts) {
    const SeriesFact& first = *told_series(facts).front();
    if (first.verdict == Verdict::broken) {
        return fmt::format("{}{} no longer works", series_words(first), others(facts));
    }
    return fmt::format(
        "{} {}{}{}", series_words(first), worsening(first, "s"), figures(first), others(facts));
}

std::string reason_words(const RegressionFacts& facts, std::string_view fallback) {
    const std::string words = without_full_stop(facts.reason, 400);
    return words.empty() ? std::string(fallback) : words;
}

/// What became of it since, before the rest of the sentence.
std::string standing(const RegressionFacts& facts) {
    switch (facts.state) {
        case RegressionState::accepted: return "Accepted as the new level, nothing to do. ";
        case RegressionState::refuted: return "Refuted, nothing to do. ";
        case RegressionState::acknowledged: return "Acknowledged. " + recovery_words(facts);
        default: return recovery_words(facts);
    }
}

std::string_view wish(const RegressionFacts& facts) {
    const bool partly = told_series(facts).size() < facts.series.size();
    return partly ? " Fix what is left of it, or accept the new level."
                  : " Fix or revert it, or accept the new level.";
}

bool asks_for_action(RegressionState state) {
    return !is_over(state) && state != RegressionState::accepted &&
           state != RegressionState::refuted;
}

}  // namespace

std::string verdict_sentence(const RegressionFacts& facts) {
    if (facts.series.empty()) return "No series is left in this regression";
    const std::string before = standing(facts);
    if (facts.state == RegressionState::not_reproduced) {
        return fmt::format(
            "Not reproduced, nothing to do: confirmation saw that {}, but measured again the two "
            "builds do not differ ({}).",
            effect(facts),
            reason_words(facts, "the ends of the range measure the same"));
    }
    if (facts.culprit) {
        return fmt::format(
            "{}Commit {}{} {}.{}",
            before,
            commit_ref(facts.links, *facts.culprit),
            brought_by(facts),
            effect_of_commit(facts, is_over(facts.state) ? "made" : "makes"),
            asks_for_action(facts.state) ? wish(facts) : "");
    }
    const bool searching =
        facts.state == RegressionState::confirmed || facts.state == RegressionState::searching;
    if (searching) {
        const std::int64_t among =
            facts.suspects.empty() ? 0 : std::int64_t(facts.suspects.size()) - 1;
        return fmt::format(
            "{} since the nightly of {}; the search{} goes on.",
            effect(facts),
            text::harmless(facts.found_night, 20),
            among > 0 ? " among " + text::counted(among, "commit") : "");
    }
    const std::string why = reason_words(facts, "the search could not narrow it further");
    if (facts.left.size() == 1) {
        return fmt::format(
            "{}{}; the only suspect left is {}, which is not proven: {}.",
            before,
            effect(facts),
            commit_ref(facts.links, facts.left.front()),
            why);
    }
    if (facts.left.empty()) {
        return fmt::format(
            "{}{} since the nightly of {}; no commit could be named: {}.",
            before,
            effect(facts),
            text::harmless(facts.found_night, 20),
            why);
    }
    return fmt::format(
        "{}One of {} commits {}; which one is not proven: {}.",
        before,
        facts.left.size(),
        effect_of_commit(facts, "makes"),
        why);
}

}  // namespace vigil::service
