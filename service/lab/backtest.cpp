#include "service/lab/backtest.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/common/display.hpp"
#include "service/cli/detect/history_files.hpp"
#include "service/cli/detect/study.hpp"
#include "service/cli/history/read_history.hpp"
#include "service/lab/rule_change.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr auto most_nights = static_cast<long long>(max_history_rows);
constexpr std::size_t shown_series = 20;
constexpr std::size_t most_rule_bytes = 64 * 1024;

std::string read_small_file(const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    std::string text(most_rule_bytes + 1, '\0');
    if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad() || (!in && in.gcount() == 0)) throw Error(Errc::not_found, "cannot read " + name);
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > most_rule_bytes) {
        refuse("the rule " + name + " is larger than 64 KiB");
    }
    return text;
}

/// Gives each alarm its label and each label its delay.
void match_labels(Replay& replay, std::size_t within) {
    replay.delays.resize(replay.labels.size());
    for (auto& alarm : replay.alarms) {
        const auto after =
            std::upper_bound(replay.labels.begin(), replay.labels.end(), alarm.night);
        if (after == replay.labels.begin()) continue;
        const std::size_t label = *std::prev(after);
        if (alarm.night - label > within) continue;
        alarm.label = label;
        auto& delay = replay.delays[static_cast<std::size_t>(after - replay.labels.begin()) - 1];
        if (delay) continue;
        delay = alarm.night - label;
        replay.exact += alarm.first == label ? 1 : 0;
    }
}

std::size_t false_alarms_of(const Replay& replay) {
    if (!replay.labelled) return 0;
    return static_cast<std::size_t>(std::count_if(
        replay.alarms.begin(), replay.alarms.end(), [](const auto& a) { return !a.label; }));
}

std::string delay_words(const Replay& replay) {
    std::string words;
    for (const auto& delay : replay.delays) {
        words += words.empty() ? "" : ", ";
        words += delay ? std::to_string(*delay) : "missed";
    }
    return words.empty() ? "-" : words;
}

std::string share_words(std::size_t count, std::size_t of) {
    const double share = of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
    return fmt::format("{} of {} ({:.3f})", count, of, share);
}

json totals_json(const BacktestTotals& totals) {
    return {
        {"series", totals.series},
        {"nights", totals.nights},
        {"alarms", totals.alarms},
        {"alarms_per_1000_nights", totals.per_thousand(totals.alarms)},
        {"improvements", totals.improvements},
        {"suspicions", totals.suspicions},
        {"suspicions_per_1000_nights", totals.per_thousand(totals.suspicions)},
        {"labelled_nights", totals.labelled_nights},
        {"false_alarms", totals.false_alarms},
        {"false_alarms_per_1000_nights", totals.false_per_thousand()},
        {"labels", totals.labels},
        {"caught", totals.caught},
        {"caught_within_1", totals.caught_within_1},
        {"caught_within_3", totals.caught_within_3},
        {"caught_within_7", totals.caught_within_7},
        {"exact", totals.exact},
        {"median_delay", totals.median_delay ? json(*totals.median_delay) : json()}};
}

json replay_json(const Replay& replay) {
    json value{
        {"series", replay.series},
        {"nights", replay.nights},
        {"alarms", json::array()},
        {"improvements", replay.improvements},
        {"suspicions", replay.suspicions},
        {"labels", json::array()}};
    for (const auto& alarm : replay.alarms) {
        value["alarms"].push_back(
            {{"night_index", alarm.night},
             {"first_index", alarm.first},
             {"change_ratio", alarm.change_ratio},
             {"label_index", alarm.label ? json(*alarm.label) : json()}});
    }
    for (std::size_t i = 0; i < replay.labels.size(); ++i) {
        const auto& delay = replay.delays[i];
        value["labels"].push_back(
            {{"night_index", replay.labels[i]}, {"delay", delay ? json(*delay) : json()}});
    }
    return value;
}

}  // namespace

Replay replay_history(const History& history, const BacktestRules& rules) {
    Replay replay;
    replay.series = history.name;
    replay.labelled = history.labelled;
    const std::size_t start = rules.start.value_or(history.start);
    for (const std::size_t label : history.labels) {
        if (label >= start) replay.labels.push_back(label);
    }
    const auto visit = [&](const NightSeen& seen) {
        if (seen.night < start || !seen.measured) return;
        ++replay.nights;
        replay.suspicions += seen.finding.suspicion >= rules.rule.suspicious ? 1 : 0;
        if (!seen.finding.change) return;
        const auto& change = *seen.finding.change;
        if (change.worse) {
            replay.alarms.push_back({seen.night, change.first, change.change_ratio, {}});
        } else {
            ++replay.improvements;
        }
    };
    follow_history(history, rules.direction, visit, rules.rule.watch);
    match_labels(replay, rules.within);
    return replay;
}

double BacktestTotals::per_thousand(std::size_t count) const {
    return nights == 0 ? 0 : 1000 * static_cast<double>(count) / static_cast<double>(nights);
}

double BacktestTotals::false_per_thousand() const {
    return labelled_nights == 0
               ? 0
               : 1000 * static_cast<double>(false_alarms) / static_cast<double>(labelled_nights);
}

BacktestTotals totals_of(const std::vector<Replay>& replays) {
    BacktestTotals totals;
    std::vector<double> delays;
    for (const auto& replay : replays) {
        ++totals.series;
        totals.nights += replay.nights;
        totals.alarms += replay.alarms.size();
        totals.improvements += replay.improvements;
        totals.suspicions += replay.suspicions;
        totals.labelled_nights += replay.labelled ? replay.nights : 0;
        totals.false_alarms += false_alarms_of(replay);
        totals.labels += replay.labels.size();
        totals.exact += replay.exact;
        for (const auto& delay : replay.delays) {
            if (!delay) continue;
            ++totals.caught;
            totals.caught_within_1 += *delay <= 1 ? 1 : 0;
            totals.caught_within_3 += *delay <= 3 ? 1 : 0;
            totals.caught_within_7 += *delay <= 7 ? 1 : 0;
            delays.push_back(static_cast<double>(*delay));
        }
    }
    if (!delays.empty()) totals.median_delay = stats::median(delays);
    return totals;
}

std::string backtest_text(const std::vector<Replay>& replays) {
    std::vector<const Replay*> loudest;
    for (const auto& replay : replays) loudest.push_back(&replay);
    std::stable_sort(loudest.begin(), loudest.end(), [](const Replay* a, const Replay* b) {
        return a->alarms.size() > b->alarms.size();
    });
    loudest.resize(std::min(loudest.size(), shown_series));
    Table table(
        {"SERIES", "NIGHTS", "ALARMS", "PER 1,000", "FALSE", "SUSPICIONS", "BETTER", "DELAYS"});
    for (const auto* replay : loudest) {
        const BacktestTotals mine = totals_of({*replay});
        table.add(
            {replay->series,
             std::to_string(replay->nights),
             std::to_string(replay->alarms.size()),
             fmt::format("{:.1f}", mine.per_thousand(mine.alarms)),
             replay->labelled ? std::to_string(mine.false_alarms) : "-",
             std::to_string(replay->suspicions),
             std::to_string(replay->improvements),
             delay_words(*replay)});
    }
    std::string text = table.text(0, false);
    if (replays.size() > loudest.size()) {
        text += fmt::format("and {} series with fewer alarms\n", replays.size() - loudest.size());
    }
    const BacktestTotals totals = totals_of(replays);
    text += fmt::format(
        "\nseries: {}, nights judged: {}; alarms: {} ({:.2f} for each 1,000 nights), improvements: "
        "{}, "
        "nights worth measuring again: {} ({:.1f})\n",
        totals.series,
        totals.nights,
        totals.alarms,
        totals.per_thousand(totals.alarms),
        totals.improvements,
        totals.suspicions,
        totals.per_thousand(totals.suspicions));
    if (totals.labelled_nights > 0) {
        text += fmt::format(
            "false alarms: {} ({:.2f} for each 1,000 labelled nights)\n",
            totals.false_alarms,
            totals.false_per_thousand());
    }
    if (totals.labels > 0) {
        text += fmt::format(
            "labelled changes caught: {}; with a delay of at most 1 night {}, 3 nights {}, 7 "
            "nights {}; median delay {}; exact first night {}\n",
            share_words(totals.caught, totals.labels),
            share_words(totals.caught_within_1, totals.labels),
            share_words(totals.caught_within_3, totals.labels),
            share_words(totals.caught_within_7, totals.labels),
            totals.median_delay ? fmt::format("{:g}", *totals.median_delay) : "-",
            share_words(totals.exact, totals.caught));
    }
    return text;
}

json backtest_json(const std::vector<Replay>& replays) {
    json value{{"totals", totals_json(totals_of(replays))}, {"series", json::array()}};
    for (const auto& replay : replays) value["series"].push_back(replay_json(replay));
    return value;
}

namespace {

BacktestRules backtest_rules(const Invocation& invocation) {
    BacktestRules rules;
    rules.direction = direction_of(invocation);
    if (invocation.has("start")) {
        rules.start = static_cast<std::size_t>(invocation.number("start", 0));
    }
    rules.within = static_cast<std::size_t>(invocation.number("within", 14));
    return rules;
}

ExitCode backtest_file(const Invocation& invocation, const Surroundings& world) {
    BacktestRules rules = backtest_rules(invocation);
    const std::string other = invocation.get("rule");
    std::optional<WatchRule> rule;
    if (invocation.has("rule")) rule = parse_watch_rule(read_small_file(other), other);
    const HistoryFile file = read_history_of(invocation, world);
    const auto replay_all = [&] {
        std::vector<Replay> replays;
        for (const auto& history : file.series) replays.push_back(replay_history(history, rules));
        return replays;
    };
    const auto replays = replay_all();
    std::vector<Replay> others;
    if (rule) {
        rules.rule = *rule;
        others = replay_all();
    }
    const auto changes = rule ? compare_replays(replays, others) : std::vector<AlarmChange>{};
    if (invocation.has("json")) {
        auto value = backtest_json(replays);
        value["notes"] = file.notes;
        if (rule) {
            value["under_rule"] = backtest_json(others);
            value["under_rule"]["rule"] = watch_rule_json(*rule);
            value["alarm_changes"] = alarm_changes_json(changes, file.series);
        }
        *world.out << wire::write_json(value) << "\n";
    } else {
        print_notes(file, world);
        *world.out << backtest_text(replays);
        if (rule) {
            *world.out << "\nunder the rule of " << printable(other) << ":\n"
                       << backtest_text(others) << "\n"
                       << alarm_changes_text(changes, file.series);
        }
    }
    return ExitCode::ok;
}

}  // namespace

CommandSpec backtest_command() {
    return {
        "backtest",
        {backtest_file, check_history_files},
        {"FILE", "[FILE...]"},
        "replays histories night by night: number and delay of the alarms",
        {direction_option(),
         rules_option(),
         series_option(),
         format_option(),
         whole_option(
             "start",
             "N",
             "judge from night N on, counted from 0 (default: the series' own, or 0)",
             0,
             most_nights),
         whole_option(
             "within",
             "N",
             "an alarm up to N nights after a labelled one is right (default 14)",
             0,
             most_nights),
         {"rule", "FILE", "compares with the alarms under this rule"}},
        {"vigil-lab backtest history.csv",
         "vigil-lab backtest labelled.jsonl --json",
         "vigil-lab backtest history.csv --rule prompter.json"},
        std::string(history_help) +
            "\nEnds with: 0 replayed; 2 the command line is wrong; 4 the file cannot be used.\n"};
}

}  // namespace vigil::cli
