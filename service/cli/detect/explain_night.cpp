#include "service/cli/detect/explain_night.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/cli/common/display.hpp"
#include "service/cli/common/option.hpp"
#include "service/cli/detect/study.hpp"
#include "service/cli/history/night_key.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

std::string table_text(const trend::Explanation& explanation) {
    auto rows = trend::explained_table(explanation);
    Table table(std::move(rows.front()));
    for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
    return table.text(0, false);
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
    const auto own = history.direction.value_or(direction);
    trend::LevelWatch watch(own, rules);
    for (std::size_t i = 0; i < night; ++i) {
        if (history.moves_at(i)) watch.start_level();
        watch.append(history.values[i]);
    }
    if (history.moves_at(night)) watch.start_level();
    NightExplained explained{
        night,
        history.samples_of(night),
        trend::explain_night(watch, history.values[night], own, rules)};
    explained.why.moved = history.moves_at(night);
    return explained;
}

std::string explained_text(const History& history, const NightExplained& night) {
    const auto names = names_in(history);
    std::string text = fmt::format(
        "{}night {}\n",
        history.name.empty() ? "" : printable(history.name) + ", ",
        printable(history.nights[night.night]));
    if (!night.why.measured) return text + "not measured\n";
    text += "samples:";
    for (const double sample : night.samples) text += " " + names.value(sample);
    if (night.samples.size() > 1) {
        text += "; median " + names.value(history.values[night.night]);
    }
    text += "\n";
    for (const auto& line : trend::explained_lines(night.why, names)) {
        text += line.head + ": " + line.words + "\n";
    }
    if (!night.why.explanation.attempts.empty()) {
        text += "\nthe newest nights as a new level, against each rival (found, needed):\n" +
                table_text(night.why.explanation);
    }
    return text;
}

json explained_json(const History& history, const NightExplained& night) {
    const auto& why = night.why;
    const auto& explanation = why.explanation;
    const auto& finding = explanation.finding;
    const NightSeen seen{
        night.night, why.measured, why.moved, explanation.level_nights + 1, finding};
    json value{
        {"series", history.name},
        {"night", history.nights[night.night]},
        {"index", night.night},
        {"measured", why.measured},
        {"samples", night.samples},
        {"suspicion", finding.suspicion},
        {"decision", decision_words(seen, history)},
        {"lost_to",
         finding.waiting_for == trend::Rival::none ? json() : json(to_string(finding.waiting_for))},
        {"level_nights", explanation.level_nights},
        {"suspicious_from", value_or_null(why.suspicious_from)},
        {"change_from", value_or_null(why.change_from)},
        {"attempts", json::array()}};
    for (const auto& attempt : explanation.attempts) {
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
