#include "service/watch/night/directions.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "schema/model/by_hand.hpp"
#include "schema/text/lines.hpp"
#include "service/config/series_rules.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/ids.hpp"
#include "service/store/series/values.hpp"
#include "service/store/troubles.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr int named_unknown = 5;
constexpr int nights_of_level = 15;    // of which the level in the metric's unit is the median
constexpr int most_unknown = 100'000;  // series of a project that are settled in one night

std::string direction_words(Direction direction) {
    return direction == Direction::lower_is_better ? "lower is better" : "higher is better";
}

class Settler {
  public:
    Settler(Database& db, const ProjectConfig& config, const NightlyRow& night, std::int64_t now_s)
        : db_(db), config_(config), night_(night), now_s_(now_s), rules_(config) {}

    void settle_one(const SeriesRow& series) {
        const auto* rule = find_rule(series);
        settle_threshold(series, rule);
        const auto settled = settle(series.told, rule);
        const auto direction = settled.direction.value_or(series.direction);
        const bool turned = direction != series.direction;
        if (!turned && settled.judging == series.judging) return;
        note_settled(db_, series.id, settled);
        if (turned) {
            turn(series, direction);
        } else if (settled.judging == Judging::no_direction) {
            const auto why = words_of(db_, series) +
                             ": nothing says which way it is better, so it is not judged any more";
            close_found(db_, series.id, why, now_s_);
        }
    }

  private:
    const SeriesRule* find_rule(const SeriesRow& series) {
        auto& name = classes_[series.machine_class];
        if (name.empty()) name = load_machine_class_name(db_, series.machine_class);
        return rules_.find(name_of(series, name));
    }

    // What a rule says in the metric's unit becomes a ratio to the level of the nights before.
    void settle_threshold(const SeriesRow& series, const SeriesRule* rule) {
        std::optional<double> level;
        if (rule != nullptr && rule->worse_absolute) {
            std::vector<double> values;
            for (const auto& night : load_level(db_, series.id, night_.id, nights_of_level)) {
                if (night.nightly != night_.id) values.push_back(night.value);
            }
            if (!values.empty()) level = stats::median(values);
        }
        const auto threshold = threshold_by(
            rule, threshold_of(config_.thresholds, series.metric), level, series.direction);
        if (threshold != series.threshold) note_threshold(db_, series.id, threshold);
    }

    void turn(const SeriesRow& series, Direction direction) {
        const auto why = fmt::format(
            "{}: {}, and it was judged the other way",
            words_of(db_, series),
            direction_words(direction));
        close_found(db_, series.id, why, now_s_);
        if (!find_record(db_, series.id)) return;
        begin_level(db_, series.id, night_.id, "it was judged the wrong way round", now_s_, true);
        record_nightly_event(
            db_, night_, "series.changed", why + "; its baseline begins anew", now_s_);
    }

    Database& db_;
    const ProjectConfig& config_;
    const NightlyRow& night_;
    std::int64_t now_s_;
    ProjectSeriesRules rules_;
    std::map<MachineClassId, std::string> classes_ = {};
};

void note_unknown(
    Database& db, const std::string& project, const NightlyRow& night, std::int64_t now_s) {
    const auto unknown = list_unknown_directions(db, night.project, named_unknown);
    std::string names;
    for (const auto& one : unknown.first) {
        names += names.empty() ? "" : ", ";
        names += text::one_line(one.shown, 120) + " " + text::one_line(one.variant, 80);
    }
    const auto more = unknown.count - std::ssize(unknown.first);
    if (more > 0) names += fmt::format(" and {} more", more);
    const Trouble trouble{
        .kind = "series.no_direction",
        .subject = "project/" + project,
        .project = night.project,
        .message = unknown.first.empty()
                       ? ""
                       : fmt::format(
                             "{} series are not judged, for nothing says which way is better: {}; "
                             "say it in the config, projects.{}.series_rules: [{}], or "
                             "\"judge\": false in place of a direction",
                             unknown.count,
                             names,
                             project,
                             rule_line(
                                 unknown.first.front().benchmark,
                                 unknown.first.front().variant,
                                 unknown.first.front().quantity))};
    set_trouble(db, trouble, unknown.count > 0, now_s);
}

}  // namespace

void close_found(Database& db, SeriesId series, const std::string& why, std::int64_t now_s) {
    const auto is_back = [](const auto& one) { return one.recovered.has_value(); };
    for (const auto& open : list_open_changes(db, series)) {
        const auto id = open.regression;
        if (list_held_series(db, id).size() > 1) {
            remove_series(db, id, series);
            touch_regression(db, id, now_s);
            record_regression_event(db, id, "series_left", why, now_s);
            if (std::ranges::all_of(list_held_series(db, id), is_back)) {
                close_regression(
                    db, id, RegressionEnd::recovered, "every series that is left is back", now_s);
            }
            continue;
        }
        move_to_reported(db, id, now_s);
        const auto state = load_regression(db, id).state;
        if (may_move_by_hand(state, RegressionState::refuted)) {
            move_by_hand(db, id, RegressionState::refuted, "vigil", why, now_s);
        } else {
            close_regression(db, id, RegressionEnd::not_reproduced, why, now_s);
        }
    }
}

void settle_directions(
    Database& db, const ProjectConfig& config, const NightlyRow& night, std::int64_t now_s) {
    Settler settler(db, config, night, now_s);
    const auto settle_all = [&](const std::vector<SeriesRow>& all) {
        for (const auto& series : all) {
            const auto trouble = try_alone(db, [&] { settler.settle_one(series); });
            if (!trouble) continue;
            const auto words = fmt::format(
                "{}: its direction is left as it was: {}", words_of(db, series), *trouble);
            record_nightly_event(db, night, "nightly.part_failed", words, now_s);
        }
    };
    settle_all(list_series_of(db, night.id));
    // A rule may decide what tonight did not measure.
    settle_all(list_unknown_directions(db, night.project, most_unknown).first);
    note_unknown(db, config.name, night, now_s);
}

}  // namespace vigil::service
