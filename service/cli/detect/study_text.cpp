#include "service/cli/detect/study_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/cli/common/display.hpp"
#include "service/cli/common/option.hpp"
#include "service/cli/detect/text_plot.hpp"
#include "service/cli/history/night_key.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

std::string value_words(double value) {
    return fmt::format("{:.6g}", value);
}

std::string range_words(const History& history, std::size_t from, std::size_t to) {
    return from == to ? history.nights[from] : history.nights[from] + " to " + history.nights[to];
}

std::vector<const StudiedChange*> wished_changes(
    const History& history, const Study& study, const DetectWishes& wishes) {
    std::vector<const StudiedChange*> changes;
    for (const auto& change : study.changes) {
        if (is_since(history, change.change.first, wishes.since)) changes.push_back(&change);
    }
    return changes;
}

std::string changes_table(const History& history, const Study& study, const DetectWishes& wishes) {
    Table table({"", "SINCE", "PLAUSIBLE", "BEFORE", "AFTER", "CHANGE", "90 %", "SURE", "RAISED"});
    for (const auto* studied : wished_changes(history, study, wishes)) {
        const auto& change = studied->change;
        table.add(
            {std::string(to_string(studied->kind)),
             history.nights[change.first],
             range_words(history, change.earliest, change.latest),
             value_words(change.before),
             value_words(change.after),
             text::percent(change.change_ratio),
             std::isinf(change.change_ratio)
                 ? "-"
                 : text::percent(change.low) + " to " + text::percent(change.high),
             studied->sure ? "yes" : "no",
             studied->raised ? history.nights[*studied->raised] : "-"});
    }
    return table.empty() ? "no change\n" : table.text(0, false);
}

std::string newest_words(const History& history, const Study& study) {
    if (!study.newest) return "nothing was measured\n";
    return fmt::format(
        "newest night {}: suspicion {:.1f} ({}); {}\n",
        printable(history.nights[study.newest->night]),
        study.newest->finding.suspicion,
        study.newest->finding.suspicion >= suspicious ? "worth measuring again"
                                                      : fmt::format("calm below {}", suspicious),
        decision_words(*study.newest, history));
}

std::string explained_nights(const History& history, const Study& study) {
    Table table({"NIGHT", "VALUE", "SUSPICION", "DECISION"});
    follow_history(history, study.direction, [&](const NightSeen& seen) {
        table.add(
            {history.nights[seen.night],
             seen.measured ? value_words(history.values[seen.night]) : "-",
             fmt::format("{:.1f}", seen.finding.suspicion),
             decision_words(seen, history)});
    });
    return table.text(0, false);
}

json range_json(const History& history, const char* name, std::size_t night) {
    return {{name, history.nights[night]}, {std::string(name) + "_index", night}};
}

json change_json(const History& history, const StudiedChange& studied) {
    const auto& change = studied.change;
    json value{
        {"kind", to_string(studied.kind)},
        {"before", change.before},
        {"after", change.after},
        {"change_ratio", change.change_ratio},
        {"low", change.low},
        {"high", change.high},
        {"sure", studied.sure},
        {"raised", studied.raised ? json(history.nights[*studied.raised]) : json()}};
    value.update(range_json(history, "first", change.first));
    value.update(range_json(history, "earliest", change.earliest));
    value.update(range_json(history, "latest", change.latest));
    return value;
}

json night_json(const History& history, const NightSeen& seen) {
    const auto& finding = seen.finding;
    json value{
        {"night", history.nights[seen.night]},
        {"index", seen.night},
        {"value", seen.measured ? json(history.values[seen.night]) : json()},
        {"suspicion", finding.suspicion},
        {"since", json()},
        {"waiting_for", json()},
        {"step", json()},
        {"margin", json()},
        {"decision", decision_words(seen, history)}};
    if (finding.since) {
        value["since"] = {
            {"first", history.nights[finding.since->first]},
            {"earliest", history.nights[finding.since->earliest]},
            {"latest", history.nights[finding.since->latest]}};
    }
    if (finding.waiting_for != trend::Rival::none) {
        value["waiting_for"] = to_string(finding.waiting_for);
        value["step"] = finding.step;
        if (finding.margin > -1e100) value["margin"] = finding.margin;
    }
    return value;
}

}  // namespace

bool is_since(const History& history, std::size_t night, const std::string& since) {
    if (since.empty()) return true;
    const NightKey from = parse_night(since);
    const NightKey mine = parse_night(history.nights[night]);
    if (from.kind != mine.kind) {
        refuse(
            "--since " + since + " cannot be compared with nights like " + history.nights[night]);
    }
    return mine.value >= from.value;
}

bool is_bad(const StudiedChange& change, const DetectWishes& wishes) {
    return change.kind == ChangeKind::worse && change.sure &&
           change.change.change_ratio > wishes.threshold;
}

std::string study_text(const History& history, const Study& study, const DetectWishes& wishes) {
    const std::size_t nights = history.nights.size();
    std::string text = history.name.empty() ? "" : printable(history.name) + ": ";
    text += nights == 0 ? "no nights\n"
                        : fmt::format(
                              "{}, {} to {}{}\n",
                              nights == 1 ? "1 night" : fmt::format("{} nights", nights),
                              printable(history.nights.front()),
                              printable(history.nights.back()),
                              study.measured == nights
                                  ? ""
                                  : fmt::format(", {} not measured", nights - study.measured));
    if (nights == 0) return text;
    if (wishes.plot) {
        std::vector<std::size_t> starts;
        for (const auto& change : study.changes) starts.push_back(change.change.first);
        std::sort(starts.begin(), starts.end());
        text += text_plot(history.values, starts, wishes.width);
    }
    if (study.measured < least_judged_nights) {
        text += fmt::format(
            "unknown: measured nights: {}; a change needs {}\n",
            study.measured,
            least_judged_nights);
    } else {
        text += changes_table(history, study, wishes);
    }
    text += newest_words(history, study);
    if (wishes.explain) text += "\n" + explained_nights(history, study);
    return text;
}

json study_json(const History& history, const Study& study, const DetectWishes& wishes) {
    json value{
        {"series", history.name},
        {"direction", to_string(study.direction)},
        {"nights", history.nights.size()},
        {"measured", study.measured},
        {"judged", study.measured >= least_judged_nights},
        {"changes", json::array()},
        {"newest", study.newest ? night_json(history, *study.newest) : json()}};
    for (const auto* change : wished_changes(history, study, wishes)) {
        value["changes"].push_back(change_json(history, *change));
    }
    if (wishes.explain) {
        value["explained"] = json::array();
        follow_history(history, study.direction, [&](const NightSeen& seen) {
            value["explained"].push_back(night_json(history, seen));
        });
    }
    return value;
}

}  // namespace vigil::cli
