#include "bisect/trend/explained.hpp"

#include <cmath>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"

namespace vigil::trend {

namespace {

constexpr double largest_step = 2.31;  // ln: ten times the level
constexpr int halvings = 40;

/// The smallest step up from `base` for which `fires(value)` holds; it holds for all larger ones.
template <class Fires>
std::optional<double> least_value(double base, Direction direction, Fires fires) {
    const double sign = direction == Direction::lower_is_better ? 1 : -1;
    const auto value_at = [&](double step) { return base * std::exp(sign * step); };
    if (!(base > 0) || !fires(value_at(largest_step))) return std::nullopt;
    double low = 0, high = largest_step;
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        (fires(value_at(middle)) ? high : low) = middle;
    }
    return value_at(high);
}

std::string duel_words(const Duel& duel) {
    return fmt::format(
        "{:.1f} {} {:g}", duel.statistic, duel.statistic > duel.needed ? ">" : "<", duel.needed);
}

std::string baseline_words(const Explanation& explanation, const ExplainedNames& names) {
    if (explanation.attempts.empty()) {
        return fmt::format("none yet, {} nights are on this level", explanation.level_nights);
    }
    const auto& one = explanation.attempts.front();
    return fmt::format(
        "{}, the median of {} nights of its level (which has {}); one night's spread {:.2f} %",
        names.value(one.before),
        one.stands_on,
        explanation.level_nights,
        100 * std::expm1(one.spread));
}

std::string rule_words(const LevelWatchRules& rules) {
    return fmt::format(
        "a step of at least {:g} %, seen in 2 to {} newest nights, that beats every rival by its\n"
        "margin, on a level of at least {} nights; measured again from a suspicion of {:g} on",
        100 * rules.least_ratio,
        rules.newest,
        rules.least_level,
        suspicious);
}

std::string fired_words(const ExplainedNight& night, const ExplainedNames& names) {
    const double base = night.explanation.attempts.front().before;
    const auto words = [&](const std::optional<double>& value) {
        if (!value) return std::string("nothing up to ten times the level");
        const double ratio = change_ratio(base, *value, night.direction);
        return names.value(*value) + " (" + text::percent(ratio) + ")";
    };
    return fmt::format(
        "suspicious tonight from {} on; a change, were tomorrow the same, from {} on",
        words(night.suspicious_from),
        words(night.change_from));
}

}  // namespace

ExplainedNight explain_night(
    const LevelWatch& watch, double value, Direction direction, const LevelWatchRules& rules) {
    ExplainedNight night;
    night.direction = direction;
    night.rules = rules;
    night.measured = std::isfinite(value);
    if (!night.measured) return night;
    night.explanation = watch.explain(value);
    if (night.explanation.attempts.empty()) return night;
    const double base = night.explanation.attempts.front().before;
    night.suspicious_from = least_value(base, direction, [&](double other) {
        return watch.explain(other).finding.suspicion >= suspicious;
    });
    night.change_from = least_value(base, direction, [&](double other) {
        LevelWatch after = watch;
        const auto tonight = after.append(other).change;
        const auto tomorrow = after.append(other).change;
        return (tonight && tonight->worse) || (tomorrow && tomorrow->worse);
    });
    return night;
}

std::string decision_words(
    const NightFinding& finding, std::size_t level_nights, const ExplainedNames& names) {
    if (finding.change) {
        const auto& change = *finding.change;
        return fmt::format(
            "{} since {} ({} to {}): {}",
            change.worse ? "worse" : "better",
            names.night(change.first),
            names.night(change.earliest),
            names.night(change.latest),
            text::percent(change.change_ratio));
    }
    std::string words;
    if (level_nights < least_judged_nights) {
        words = fmt::format(
            "learning: night {} of the {} that a level needs", level_nights, least_judged_nights);
    } else if (finding.waiting_for == Rival::none) {
        words = "no step of 5 % or more";
    } else if (finding.waiting_for == Rival::too_small) {
        words = "no step beyond the noise";
    } else if (finding.waiting_for == Rival::disagreement) {
        words = fmt::format(
            "a step of {} waits: its two nights disagree", text::percent(std::expm1(finding.step)));
    } else {
        words = fmt::format(
            "a step of {} waits for {:.1f} more over: {}",
            text::percent(std::expm1(finding.step)),
            -finding.margin,
            to_string(finding.waiting_for));
    }
    if (finding.since && finding.suspicion >= suspicious) {
        words += fmt::format(
            "; suspicious since {} ({} to {})",
            names.night(finding.since->first),
            names.night(finding.since->earliest),
            names.night(finding.since->latest));
    }
    return words;
}

std::vector<ExplainedLine> explained_lines(
    const ExplainedNight& night, const ExplainedNames& names) {
    const auto& finding = night.explanation.finding;
    const std::string moved = night.moved ? "another environment: a new level begins; " : "";
    std::vector<ExplainedLine> lines{
        {"baseline", baseline_words(night.explanation, names)},
        {"rule", rule_words(night.rules)},
        {"suspicion", fmt::format("{:.1f}", finding.suspicion)},
        {"decision", moved + decision_words(finding, night.explanation.level_nights + 1, names)}};
    if (finding.waiting_for != Rival::none) {
        lines.push_back({"lost to", std::string(to_string(finding.waiting_for))});
    }
    if (!night.explanation.attempts.empty()) {
        lines.push_back({"would have fired", fired_words(night, names)});
    }
    return lines;
}

std::vector<std::vector<std::string>> explained_table(const Explanation& explanation) {
    std::vector<std::vector<std::string>> rows;
    if (explanation.attempts.empty()) return rows;
    rows.push_back(
        {"NIGHTS",
         "STEP",
         "SUSPICION",
         "SAME LEVEL",
         "SPELL",
         "EARLIER SPELL",
         "RANK",
         "OWN NOISE",
         "BURST"});
    for (const auto& attempt : explanation.attempts) {
        std::vector<std::string> cells{
            std::to_string(attempt.nights),
            text::percent(std::expm1(attempt.step)),
            counts_for_suspicion(attempt.nights) ? fmt::format("{:.1f}", attempt.suspicion) : "-"};
        std::string note;
        for (const auto& duel : attempt.duels) {
            if (duel.rival == Rival::disagreement) {
                if (duel.statistic <= 0) note = ", its nights disagree";
                continue;
            }
            cells.push_back(duel_words(duel));
        }
        cells[1] += note;
        cells.resize(rows.front().size(), "-");
        rows.push_back(cells);
    }
    return rows;
}

}  // namespace vigil::trend
