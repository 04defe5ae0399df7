#include <algorithm>
#include <cmath>
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
    const Comparison comparison = best_comparison(series);
    const std::string size = text::share(comparison.change_ratio);
    if (series.verdict == Verdict::leak) {
        return fmt::format("leak{} memory with every iteration", verb_suffix);
    }
    if (std::isinf(comparison.change_ratio)) {  // figures() says from what to what
        return fmt::format("no longer report{} 0", verb_suffix);
    }
    switch (kind_of(series.metric)) {
        case MetricKind::time:
        case MetricKind::count:
            return fmt::format("take{} {} more {}", verb_suffix, size, metric_words(series.metric));
        case MetricKind::memory:
            return fmt::format("need{} {} more {}", verb_suffix, size, metric_words(series.metric));
        case MetricKind::other: break;
    }
    return fmt::format("report{} a value that is {} worse", verb_suffix, size);
}

std::string figures(const SeriesFact& series) {
    const Comparison comparison = best_comparison(series);
    if (comparison.runs_before == 0) return "";
    return fmt::format(
        " ({} before, {} after)",
        plain_words(text::quantity(comparison.before, series.unit), 60),
        plain_words(text::quantity(comparison.after, series.unit), 60));
}

/// What the sentence is about: the series that are still worse, or all where none is, or each is.
std::vector<const SeriesFact*> reported_series(const RegressionFacts& facts) {
    std::vector<const SeriesFact*> worse;
    std::vector<const SeriesFact*> all;
    for (const auto& series : facts.series) {
        all.push_back(&series);
        if (is_still_worse(series)) worse.push_back(&series);
    }
    return worse.empty() ? all : worse;
}

std::string others(const RegressionFacts& facts) {
    const std::size_t more = reported_series(facts).size() - 1;
    if (more == 0) return "";
    return fmt::format(
        ", and {} of {} with it",
        text::counted(std::int64_t(more), "more series", "more series"),
        text::code_span(facts.project, 40));
}

/// "run out of memory", after "makes ..."; with `third`: "runs out of memory".
std::string breaking(const SeriesFact& series, bool third) {
    if (series.failed == Outcome::oom) return third ? "runs out of memory" : "run out of memory";
    if (series.failed == Outcome::wrong) {
        return third ? "gives a wrong answer" : "give a wrong answer";
    }
    if (series.failed == Outcome::timeout) {
        return third ? "no longer ends in time" : "end no longer in time";
    }
    return third ? "no longer works" : "stop working";
}

/// "makes `mlp` (`train`) on `xeon` take 18.3 % more CPU time (12.30 ms before, 14.55 ms after)".
std::string effect_of_commit(const RegressionFacts& facts, std::string_view makes) {
    const SeriesFact& first = *reported_series(facts).front();
    if (first.verdict == Verdict::broken) {
        return fmt::format(
            "{} {} {}{}", makes, series_words(first), breaking(first, false), others(facts));
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
    const SeriesFact& first = *reported_series(facts).front();
    if (first.verdict == Verdict::broken) {
        return fmt::format("{} {}{}", series_words(first), breaking(first, true), others(facts));
    }
    return fmt::format(
        "{} {}{}{}", series_words(first), worsening(first, "s"), figures(first), others(facts));
}

std::string reason_words(const RegressionFacts& facts, std::string_view fallback) {
    const std::string words = without_full_stop(facts.reason, 400);
    return words.empty() ? std::string(fallback) : words;
}

/// "by `ada`: `the new checks cost that`".
std::string by_whom(const AnswerFact& answer) {
    std::string words = "by " + text::code_span(answer.by, 60);
    if (!answer.reason.empty()) words += ": " + text::code_span(answer.reason, 300);
    return words;
}

/// "Accepted as the new level by ..., nothing to do. "
std::string ended_by(const RegressionFacts& facts, std::string_view what) {
    const bool said = facts.answer && facts.answer->to == to_string(facts.state);
    if (!said) return fmt::format("{}, nothing to do. ", what);
    return fmt::format("{} {}; nothing to do. ", what, by_whom(*facts.answer));
}

/// Of what had ended, and is open again.
std::string opened_again(const RegressionFacts& facts) {
    if (!facts.answer || facts.answer->to != to_string(RegressionState::reported)) return "";
    return fmt::format(
        "Opened again {} (it was {}). ",
        by_whom(*facts.answer),
        text::harmless(facts.answer->from, 40));
}

/// What became of it since, before the rest of the sentence.
std::string standing(const RegressionFacts& facts) {
    switch (facts.state) {
        case RegressionState::accepted: return ended_by(facts, "Accepted as the new level");
        case RegressionState::refuted: return ended_by(facts, "Refuted");
        case RegressionState::acknowledged: return "Acknowledged. " + recovery_words(facts);
        case RegressionState::reported: return opened_again(facts) + recovery_words(facts);
        default: return recovery_words(facts);
    }
}

/// "between 17.1 % and 19.5 % more (90 % interval, 6 + 6 runs)".
std::string measured_words(const SeriesFact& series, const Comparison& comparison) {
    const auto runs = fmt::format("{} + {} runs", comparison.runs_before, comparison.runs_after);
    if (series.verdict == Verdict::broken || std::isinf(comparison.change_ratio)) return runs;
    return fmt::format(
        "{} to {}, 90 % interval, {}",
        text::percent(comparison.low),
        text::percent(comparison.high),
        runs);
}

/// How likely the named commit is the cause, as the search left it.
std::string sure_words(const RegressionFacts& facts) {
    for (const auto& ending : facts.endings) {
        if (!ending.culprit) continue;
        const double shown = std::min(ending.probability, 0.999);
        return fmt::format(
            "{}{}", ending.probability > shown ? "more than " : "", text::share(shown));
    }
    return "";
}

std::string certainty(const RegressionFacts& facts) {
    const SeriesFact& first = *reported_series(facts).front();
    if (facts.ended_as == RegressionEnd::not_reproduced) return "";
    if (first.confirmed.runs_after == 0 && !first.verified) {
        if (first.verdict == Verdict::broken && !is_unconfirmed(first)) return "";
        return " Not confirmed: only the night's own runs show it, and it was not measured again.";
    }
    if (!facts.culprit || !first.verified) {
        return fmt::format(
            " The change was confirmed by a second measurement ({}){}.",
            measured_words(first, best_comparison(first)),
            facts.culprit ? "" : "; the commit is not known");
    }
    const auto sure = sure_words(facts);
    if (first.verified->of_sources) {
        return fmt::format(
            " By this much the archives of the two nights differ ({}). Builds of the commit's "
            "source and of the one before it differ by {} ({}){}.",
            measured_words(first, best_comparison(first)),
            text::percent(first.verified->change_ratio),
            measured_words(first, *first.verified),
            sure.empty() ? "" : "; it is the cause with a probability of " + sure);
    }
    const bool pooled = best_comparison(first).runs_after > first.verified->runs_after;
    return fmt::format(
        " Verified against the commit before it{} ({}){}.",
        pooled ? ", and pooled with what confirmed it" : "",
        measured_words(first, best_comparison(first)),
        sure.empty() ? "" : "; it is the cause with a probability of " + sure);
}

std::string wish(const RegressionFacts& facts) {
    if (!is_open(facts.state)) return "";
    if (facts.state == RegressionState::searching) return "";
    const bool partly = reported_series(facts).size() < facts.series.size();
    const std::string_view what = facts.left.empty() && !facts.culprit ? "Look at the range"
                                  : !facts.culprit                     ? "Look at the suspects"
                                  : facts.reverted
                                      ? "It was reverted and is still worse: find what else does it"
                                  : partly ? "Fix what is left of it"
                                           : "Fix or revert it";
    if (!facts.answer_by_s) return fmt::format(" {}, or accept the new level.", what);
    return fmt::format(
        " {}, or accept the new level, by {} UTC.", what, text::utc(*facts.answer_by_s));
}

std::string sentence_of(const RegressionFacts& facts) {
    const std::string before = standing(facts);
    if (facts.ended_as == RegressionEnd::not_reproduced) {
        return fmt::format(
            "Not reproduced, nothing to do: confirmation saw that {}, but measured again the bad "
            "build is not worse ({}).",
            effect(facts),
            reason_words(facts, "the two builds were measured again"));
    }
    if (facts.culprit) {
        return fmt::format(
            "{}Commit {}{} {}.",
            before,
            commit_ref(facts.links, *facts.culprit),
            brought_by(facts),
            effect_of_commit(facts, is_over(facts.state) ? "made" : "makes"));
    }
    if (facts.state == RegressionState::searching) {
        const std::int64_t among =
            facts.suspects.empty() ? 0 : std::int64_t(facts.suspects.size()) - 1;
        return fmt::format(
            "{} since the nightly of {}; the search{} goes on.",
            effect(facts),
            plain_words(facts.found_night, 20),
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
            plain_words(facts.found_night, 20),
            why);
    }
    return fmt::format(
        "{}One of {} commits {}; which one is not proven: {}.",
        before,
        facts.left.size(),
        effect_of_commit(facts, "makes"),
        why);
}

}  // namespace

std::string verdict_section(const RegressionFacts& facts) {
    if (facts.series.empty()) return "**No series is left in this regression.**\n\n";
    const auto today = today_words(*reported_series(facts).front());
    return fmt::format(
        "**{}**{}{}{}\n\n",
        sentence_of(facts),
        certainty(facts),
        today.empty() ? "" : fmt::format(" Today: {}.", today),
        wish(facts));
}

}  // namespace vigil::service
