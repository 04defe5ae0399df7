#include "service/watch/night/judge.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/detect/noise.hpp"
#include "schema/log/log.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/schedule/judgeable.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/night_findings.hpp"
#include "service/store/series/night_levels.hpp"
#include "service/store/series/night_suspicions.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/night/unjudged.hpp"
#include "service/watch/series/series_records.hpp"
#include "service/watch/series/suspicions.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t checks_a_night = 32;  // a block or more each

std::optional<detect::PinnedNight> load_pinned(Database& db, SeriesId series) {
    const auto nightly = find_pinned(db, series);
    const auto value = nightly ? find_night_value(db, series, *nightly) : std::nullopt;
    if (!value) return std::nullopt;
    return detect::PinnedNight{nightly->value, *value};
}

using OpenRegressions = std::map<SeriesId, std::vector<detect::OpenRegression>>;

// Levels are those of the confirmation: the usual one, and as much above it as was found.
detect::OpenRegression read_open(const OpenLevel& level) {
    const auto confirmed =
        wire::parse_comparison(wire::parse_json(level.confirmed, "suspicion.confirmed"));
    if (!is_judgeable(level.base)) throw Error(Errc::internal, "the level before it is no value");
    const double before = detect::badness(level.base, level.direction);
    const double after = before + log_of_change(confirmed.change_ratio);
    return {level.regression.value, level.good_nightly.value, before, after};
}

OpenRegressions load_open(Database& db, ProjectId project) {
    OpenRegressions open;
    for (const auto& level : list_open_levels(db, project)) {
        try {
            open[level.series].push_back(read_open(level));
        } catch (const std::exception& error) {  // it never recovers, and the night goes on
            log_warn(
                "regression.unreadable",
                {{"regression", level.regression.value}, {"error", error.what()}});
        }
    }
    return open;
}

// A series that asks for a session.
struct Asking {
    SeriesRow series;
    detect::NightWord word;
};

class NightJudge {
  public:
    NightJudge(
        Database& db, const ProjectConfig& config, const NightlyRow& night, std::int64_t now_s)
        : db_(db), config_(config), night_(night), nightly_(night.id), now_s_(now_s) {}

    NightCounts judge(std::vector<SeriesValues> measured) {
        if (measured.empty()) return {};
        SeriesRecords records(db_, config_, night_.project, nightly_);
        const auto open = load_open(db_, night_.project);
        if (!config_.pinned_version.empty()) {
            pinned_ = find_night_named(db_, night_.project, config_.pinned_version);
        }
        for (auto& values : measured) {
            if (!is_judged(values.series.metric)) continue;
            ++counts_.series;
            const bool taken = alone(values.series, [&] { take(records, open, values); });
            if (!taken) --counts_.series;
        }
        choose_checks();
        for (const auto& one : asking_) alone(one.series, [&] { open_one(one); });
        return std::move(counts_);
    }

  private:
    bool is_judged(Metric metric) const {
        const auto& judged = config_.judged;
        return std::find(judged.begin(), judged.end(), metric) != judged.end();
    }

    // What fails with one series costs that one. @return whether it worked
    bool alone(const SeriesRow& series, const std::function<void()>& part) {
        const auto trouble = try_alone(db_, part);
        if (!trouble) return true;
        set_aside_series(db_, series, night_, *trouble, now_s_);
        ++counts_.set_aside;
        return false;
    }

    void take(SeriesRecords& records, const OpenRegressions& open, const SeriesValues& values) {
        const auto& series = values.series;
        if (pinned_) pin_night(db_, series.id, *pinned_, "pinned by the config", now_s_);
        auto record = records.before_tonight(series);
        detect::LoopNight night{.id = nightly_.value, .runs = values.runs};
        if (const auto found = open.find(series.id); found != open.end()) {
            night.open = found->second;
        }
        night.pinned = load_pinned(db_, series.id);
        auto word = detect::take_night(record, loop_rules(db_, config_, series), night);
        store_record(db_, series.id, nightly_, record);
        if (word.new_level) {
            const auto* why = "the machine moved and stayed";
            const LevelRow level{NightlyId{*word.new_level}, nightly_, false, true};
            add_level(db_, series.id, level, why, now_s_);
        }
        counts_.first += word.is_first ? 1 : 0;
        if (kind_of(series.metric) == MetricKind::time && word.nights_tell) {
            const NightlyId usual{word.usual_night};
            counts_.moves.push_back({series, word.base, word.change_ratio, word.stands_out, usual});
        }
        if (word.lapsed) tell_lapsed(series);
        if (word.asks) asking_.push_back({series, std::move(word)});
    }

    // What waited for its turn and looks calm tonight is let go of, and not in silence.
    void tell_lapsed(const SeriesRow& series) {
        const auto words = words_of(db_, series) + ": waited for its turn, and looks calm tonight";
        tell_of_nightly(db_, night_, "suspicion.lapsed", words, now_s_);
    }

    // Series that are measured again only because their nights cannot tell: a night has room for
    // some, and those asked longest ago come first.
    void choose_checks() {
        std::vector<std::pair<NightlyId, SeriesId>> order;
        for (const auto& one : asking_) {
            if (!one.word.is_optional) continue;
            order.emplace_back(find_last_asked(db_, one.series.id, nightly_), one.series.id);
        }
        std::sort(order.begin(), order.end());
        std::set<SeriesId> left;
        for (std::size_t i = checks_a_night; i < order.size(); ++i) left.insert(order[i].second);
        std::erase_if(asking_, [&](const Asking& one) {
            if (!one.word.is_optional || !left.contains(one.series.id)) return false;
            take_back(one.series.id);
            return true;
        });
    }

    void take_back(SeriesId series) {
        auto record = load_record(db_, series, nightly_);
        if (!record) return;
        detect::decline(*record);
        store_record(db_, series, nightly_, *record);
    }

    void open_one(Asking one) {
        const auto& series = one.series;
        const auto record = load_record(db_, series.id, nightly_);
        if (!record || !record->question) return;
        const auto& question = *record->question;
        const NightlyId good{question.old_nights.front()};
        const bool same = same_product(db_, build_of(db_, good), night_.build);
        if (same && one.word.is_optional) return take_back(series.id);
        if (one.word.is_optional) {
            const auto asked = find_last_asked(db_, series.id, nightly_);
            one.word.waited = count_unasked(db_, series.id, nightly_, asked);
        }
        const auto suspicion = open_suspicion(db_, series, nightly_, one.word, question, now_s_);
        ++counts_.suspicions;
        if (!same) return;
        // Of one product the answer is known.
        const auto verdict =
            question.asked == detect::Asked::recovered ? Verdict::fixed : Verdict::noise;
        detect::SessionWord word;
        word.answer = detect::answer_without_runs(*record, verdict);
        word.reason = "the two builds have the same product";
        answer_suspicion(db_, suspicion, *record, word, now_s_);
    }

    Database& db_;
    const ProjectConfig& config_;
    const NightlyRow& night_;
    NightlyId nightly_;
    std::int64_t now_s_;
    std::optional<NightlyId> pinned_;
    NightCounts counts_;
    std::vector<Asking> asking_;
};

}  // namespace

NightCounts judge_nightly(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    auto counts = NightJudge(db, config, nightly, now_s).judge(list_values_of(db, nightly.id));
    counts.set_aside += set_aside_unjudged(db, config, nightly, now_s);
    return counts;
}

}  // namespace vigil::service
