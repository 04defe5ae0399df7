#include "service/lab/rule_change.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr std::size_t same_alarm_nights = 3;
constexpr std::size_t shown_changes = 200;

bool is_same_alarm(const ReplayedAlarm& a, const ReplayedAlarm& b) {
    return std::max(a.first, b.first) - std::min(a.first, b.first) <= same_alarm_nights;
}

json alarm_json(const std::optional<ReplayedAlarm>& alarm, const History& history) {
    if (!alarm) return {};
    return {
        {"night", history.nights[alarm->night]},
        {"night_index", alarm->night},
        {"first", history.nights[alarm->first]},
        {"first_index", alarm->first},
        {"change_ratio", alarm->change_ratio},
        {"labelled", alarm->label.has_value()}};
}

}  // namespace

std::vector<AlarmChange> compare_replays(
    const std::vector<Replay>& before, const std::vector<Replay>& after) {
    std::vector<AlarmChange> changes;
    for (std::size_t i = 0; i < before.size(); ++i) {
        std::vector<bool> taken(after[i].alarms.size());
        for (const auto& old : before[i].alarms) {
            std::size_t j = 0;
            while (j < taken.size() && (taken[j] || !is_same_alarm(old, after[i].alarms[j]))) ++j;
            if (j == taken.size()) {
                changes.push_back({AlarmChange::Kind::vanishes, i, old, {}});
                continue;
            }
            taken[j] = true;
            const auto& now = after[i].alarms[j];
            if (now.night == old.night) continue;
            const auto kind =
                now.night < old.night ? AlarmChange::Kind::earlier : AlarmChange::Kind::later;
            changes.push_back({kind, i, old, now});
        }
        for (std::size_t j = 0; j < taken.size(); ++j) {
            if (!taken[j]) {
                changes.push_back({AlarmChange::Kind::appears, i, {}, after[i].alarms[j]});
            }
        }
    }
    return changes;
}

std::string alarm_changes_text(
    const std::vector<AlarmChange>& changes, const std::vector<History>& histories) {
    if (changes.empty()) return "the other rule raises the same alarms on the same nights\n";
    Table table({"ALARM", "SERIES", "RAISED", "BY THE RULE", "SINCE", "CHANGE", "LABELLED"});
    for (std::size_t i = 0; i < std::min(changes.size(), shown_changes); ++i) {
        const auto& change = changes[i];
        const History& history = histories[change.series];
        const auto night = [&](const std::optional<ReplayedAlarm>& alarm) {
            return alarm ? history.nights[alarm->night] : std::string("-");
        };
        const auto& alarm = change.after ? *change.after : *change.before;
        table.add(
            {std::string(to_string(change.kind)),
             history.name,
             night(change.before),
             night(change.after),
             history.nights[alarm.first],
             text::percent(alarm.change_ratio),
             alarm.label ? "yes" : "-"});
    }
    std::string text = table.text(0, false);
    if (changes.size() > shown_changes) {
        text += fmt::format("and {} more\n", changes.size() - shown_changes);
    }
    const auto count = [&](AlarmChange::Kind kind) {
        return std::count_if(changes.begin(), changes.end(), [&](const AlarmChange& change) {
            return change.kind == kind;
        });
    };
    return text + fmt::format(
                      "{} alarms appear, {} vanish, {} come earlier, {} later\n",
                      count(AlarmChange::Kind::appears),
                      count(AlarmChange::Kind::vanishes),
                      count(AlarmChange::Kind::earlier),
                      count(AlarmChange::Kind::later));
}

json alarm_changes_json(
    const std::vector<AlarmChange>& changes, const std::vector<History>& histories) {
    json all = json::array();
    for (const auto& change : changes) {
        const History& history = histories[change.series];
        all.push_back(
            {{"kind", to_string(change.kind)},
             {"series", history.name},
             {"before", alarm_json(change.before, history)},
             {"after", alarm_json(change.after, history)}});
    }
    return all;
}

}  // namespace vigil::cli
