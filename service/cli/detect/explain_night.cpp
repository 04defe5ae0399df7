#include "service/cli/detect/explain_night.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/cli/common/display.hpp"
#include "service/cli/common/option.hpp"
#include "service/cli/detect/study.hpp"
#include "service/cli/history/night_key.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

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

std::string number_words(double value) {
    return fmt::format("{:.6g}", value);
}

std::string duel_words(const trend::Duel& duel) {
    if (duel.rival == trend::Rival::disagreement) return duel.statistic > 0 ? "agree" : "disagree";
    return fmt::format(
        "{:.1f} {} {:g}", duel.statistic, duel.statistic > duel.needed ? ">" : "<", duel.needed);
}

std::string attempts_table(const trend::Explanation& explanation) {
    Table table(
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
            trend::counts_for_suspicion(attempt.nights) ? fmt::format("{:.1f}", attempt.suspicion)
                                                        : "-"};
        std::string note;
        for (const auto& duel : attempt.duels) {
            if (duel.rival == trend::Rival::disagreement) {
                if (duel.statistic <= 0) note = ", its nights disagree";
                continue;
            }
            cells.push_back(duel_words(duel));
        }
        cells[1] += note;
        cells.resize(9, "-");
        table.add(cells);
    }
    return table.text(0, false);
}

std::string baseline_words(const trend::Explanation& explanation) {
    if (explanation.attempts.empty()) {
        return fmt::format(
            "baseline: none yet, {} nights are on this level\n", explanation.level_nights);
    }
    const auto& one = explanation.attempts.front();
    return fmt::format(
        "baseline: {}, the median of {} nights of its level (which has {}); one night's spread "
        "{:.2f} %\n",
        number_words(one.before),
        one.stands_on,
        explanation.level_nights,
        100 * std::expm1(one.spread));
}

std::string rule_words(const trend::LevelWatchRules& rules) {
    return fmt::format(
        "rule: a step of at least {:g} %, seen in 2 to {} newest nights, that beats every rival by "
        "its\nmargin, on a level of at least {} nights; measured again from a suspicion of {:g} "
        "on\n",
        100 * rules.least_ratio,
        rules.newest,
        rules.least_level,
        suspicious);
}

std::string fired_words(const NightExplained& night) {
    const auto& attempts = night.explanation.attempts;
    if (attempts.empty()) return "";
    const double base = attempts.front().before;
    const auto words = [&](const std::optional<double>& value) {
        if (!value) return std::string("nothing up to ten times the level");
        const double ratio = change_ratio(base, *value, night.direction);
        return number_words(*value) + " (" + text::percent(ratio) + ")";
    };
    return fmt::format(
        "would have fired: suspicious tonight from {} on; a change, were tomorrow the same, from "
        "{} on\n",
        words(night.suspicious_from),
        words(night.change_from));
}

NightSeen seen_of(const History& history, const NightExplained& night) {
    NightSeen seen;
    seen.night = night.night;
    seen.measured = night.measured;
    seen.moved = history.moves_at(night.night);
    seen.level_nights = night.explanation.level_nights + 1;
    seen.finding = night.explanation.finding;
    return seen;
}

json value_or_null(const std::optional<double>& value) {
    return value ? json(*value) : json();
}

}  // namespace

std::size_t find_night(const History& history, const std::string& night) {
    for (std::size_t i = 0; i < history.nights.size(); ++i) {
        if (history.nights[i] == night) return i;
    }
    const NightKey key = parse_night(night);
    for (std::size_t i = 0; i < history.nights.size(); ++i) {
        const NightKey mine = parse_night(history.nights[i]);
        if (mine.kind == key.kind && mine.value == key.value) return i;
    }
    refuse(fmt::format(
        "series '{}' has no night {}; its nights are {} to {}",
        history.name,
        night,
        history.nights.empty() ? "none" : history.nights.front(),
        history.nights.empty() ? "none" : history.nights.back()));
}

NightExplained explain_night(
    const History& history,
    Direction direction,
    std::size_t night,
    const trend::LevelWatchRules& rules) {
    NightExplained explained;
    explained.night = night;
    explained.direction = history.direction.value_or(direction);
    explained.rules = rules;
    trend::LevelWatch watch(explained.direction, rules);
    for (std::size_t i = 0; i < night; ++i) {
        if (history.moves_at(i)) watch.start_level();
        watch.append(history.values[i]);
    }
    if (history.moves_at(night)) watch.start_level();
    explained.samples = history.samples_of(night);
    explained.measured = std::isfinite(history.values[night]);
    if (!explained.measured) return explained;
    explained.explanation = watch.explain(history.values[night]);
    if (explained.explanation.attempts.empty()) return explained;
    const double base = explained.explanation.attempts.front().before;
    explained.suspicious_from = least_value(base, explained.direction, [&](double value) {
        return watch.explain(value).finding.suspicion >= suspicious;
    });
    explained.change_from = least_value(base, explained.direction, [&](double value) {
        trend::LevelWatch after = watch;
        const auto tonight = after.append(value).change;
        const auto tomorrow = after.append(value).change;
        return (tonight && tonight->worse) || (tomorrow && tomorrow->worse);
    });
    return explained;
}

std::string explained_text(const History& history, const NightExplained& night) {
    std::string text = fmt::format(
        "{}night {}\n",
        history.name.empty() ? "" : printable(history.name) + ", ",
        printable(history.nights[night.night]));
    if (!night.measured) return text + "not measured\n";
    text += "samples:";
    for (const double sample : night.samples) text += " " + number_words(sample);
    if (night.samples.size() > 1) {
        text += "; median " + number_words(history.values[night.night]);
    }
    const auto& finding = night.explanation.finding;
    text += "\n" + baseline_words(night.explanation) + rule_words(night.rules);
    text += fmt::format("suspicion: {:.1f}\n", finding.suspicion);
    text += "decision: " + decision_words(seen_of(history, night), history) + "\n";
    if (finding.waiting_for != trend::Rival::none) {
        text += fmt::format("lost to: {}\n", to_string(finding.waiting_for));
    }
    text += fired_words(night);
    if (!night.explanation.attempts.empty()) {
        text += "\nthe newest nights as a new level, against each rival (found, needed):\n" +
                attempts_table(night.explanation);
    }
    return text;
}

json explained_json(const History& history, const NightExplained& night) {
    const auto& finding = night.explanation.finding;
    json value{
        {"series", history.name},
        {"night", history.nights[night.night]},
        {"index", night.night},
        {"measured", night.measured},
        {"samples", night.samples},
        {"suspicion", finding.suspicion},
        {"decision", decision_words(seen_of(history, night), history)},
        {"lost_to",
         finding.waiting_for == trend::Rival::none ? json() : json(to_string(finding.waiting_for))},
        {"level_nights", night.explanation.level_nights},
        {"suspicious_from", value_or_null(night.suspicious_from)},
        {"change_from", value_or_null(night.change_from)},
        {"attempts", json::array()}};
    for (const auto& attempt : night.explanation.attempts) {
        json duels = json::array();
        for (const auto& duel : attempt.duels) {
            duels.push_back(
                {{"rival", to_string(duel.rival)},
                 {"statistic", duel.statistic},
                 {"needed", duel.needed}});
        }
        value["attempts"].push_back(
            {{"nights", attempt.nights},
             {"step", attempt.step},
             {"before", attempt.before},
             {"stands_on", attempt.stands_on},
             {"spread", attempt.spread},
             {"suspicion", attempt.suspicion},
             {"duels", std::move(duels)}});
    }
    return value;
}

}  // namespace vigil::cli
