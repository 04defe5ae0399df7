#include "service/watch/night/judge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "bisect/detect/noise.hpp"
#include "schema/log/log.hpp"
#include "service/schedule/judgeable.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/json_columns.hpp"
#include "service/store/series/levels.hpp"
#include "service/store/series/series.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/cases.hpp"
#include "service/store/work/runs.hpp"
#include "service/watch/series/series_records.hpp"
#include "service/watch/series/suspicions.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t checks_a_night = 32;  // a block or more each
constexpr std::string_view series_not_judged = "series.not_judged";

std::string subject_of(SeriesId series) {
    return "series/" + to_string(series);
}

void end_judged_again(Database& db, const std::set<SeriesId>& judged, std::int64_t now_s) {
    const auto troubles = list_troubles(db, series_not_judged);
    if (troubles.empty()) return;
    std::set<std::string> subjects;
    for (const auto series : judged) subjects.insert(subject_of(series));
    for (const auto& open : troubles) {
        if (subjects.contains(open.subject)) {
            end_trouble(db, series_not_judged, open.subject, now_s);
        }
    }
}

// The night goes on without this series: a trouble, and an event.
void quarantine_series(
    Database& db,
    const SeriesRow& series,
    const NightlyRow& nightly,
    const std::string& why,
    std::int64_t now_s) {
    const auto words = words_of(db, series) + ": " + why;
    record_nightly_event(db, nightly, "series.set_aside", words, now_s);
    const Trouble trouble{
        .kind = std::string(series_not_judged),
        .subject = subject_of(series.id),
        .project = series.project,
        .message = words + "; its nights are not judged until it has values again"};
    note_trouble(db, trouble, now_s);
}

// Sets aside the judged series that have runs and not one value that can be judged; ends the
// trouble of those that are judged again.
// @return  how many were set aside
int quarantine_unjudged(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    std::set<SeriesId> judged;
    for (const auto& series : list_series_of(db, nightly.id)) judged.insert(series.id);
    end_judged_again(db, judged, now_s);
    auto& known = judged;  // and those that are set aside: the first reason is told
    int count = 0;
    for (const auto& value : list_unjudged_values(db, nightly.id)) {
        if (!known.insert(value.series).second) continue;
        const auto series = load_series(db, value.series);
        if (!is_judged(config, series)) continue;
        quarantine_series(db, series, nightly, value.reason, now_s);
        ++count;
    }
    return count;
}

std::optional<detect::PinnedNight> load_pinned(Database& db, SeriesId series) {
    const auto nightly = find_pinned(db, series);
    const auto value = nightly ? find_night_value(db, series, *nightly) : std::nullopt;
    if (!value) return std::nullopt;
    return detect::PinnedNight{nightly->value, *value};
}

using OpenRegressions = std::map<SeriesId, std::vector<detect::OpenRegression>>;

// Levels are those of the confirmation: the usual one, and as much above it as was found.
detect::OpenRegression read_open(const OpenLevel& level) {
    const auto& change = level.change;
    const auto confirmed = TextColumn<Comparison>::parse(level.confirmed);
    if (!is_judgeable(change.base)) throw Error(Errc::internal, "the level before it is no value");
    const double before = detect::badness(change.base, change.direction);
    const double after = change.base == 0 || std::isinf(confirmed.change_ratio)
                             ? detect::badness(confirmed.after, change.direction)
                             : before + log_of_change(confirmed.change_ratio);
    return {change.regression.value, change.good_nightly.value, before, after};
}

OpenRegressions load_open(Database& db, ProjectId project) {
    OpenRegressions open;
    for (const auto& level : list_open_levels(db, project)) {
        try {
            open[level.series].push_back(read_open(level));
        } catch (const std::exception& error) {  // it never recovers, and the night goes on
            log_warn(
                "regression.unreadable",
                {{"regression", level.change.regression.value}, {"error", error.what()}});
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
            if (!is_judged(config_, values.series)) continue;
            ++counts_.series;
            const bool taken = alone(values.series, [&] { take(records, open, values); });
            if (!taken) --counts_.series;
        }
        choose_checks();
        for (const auto& one : asking_) alone(one.series, [&] { open_one(one); });
        return std::move(counts_);
    }

  private:
    // What fails with one series costs that one. @return whether it worked
    bool alone(const SeriesRow& series, const std::function<void()>& part) {
        const auto trouble = try_alone(db_, part);
        if (!trouble) return true;
        quarantine_series(db_, series, night_, *trouble, now_s_);
        ++counts_.quarantine;
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
        record_nightly_event(db_, night_, "suspicion.lapsed", words, now_s_);
    }

    // Series that are measured again only because their nights cannot tell: a night has room for
    // some, and those asked longest ago come first.
    void choose_checks() {
        std::vector<std::pair<NightlyId, SeriesId>> order;
        for (const auto& one : asking_) {
            if (!one.word.is_optional) continue;
            order.emplace_back(find_last_requested(db_, one.series.id, nightly_), one.series.id);
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
            const auto asked = find_last_requested(db_, series.id, nightly_);
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

// The last night before whose runs of it count must have run: what has long been broken is no news.
std::optional<NightValues> find_good(
    Database& db, SeriesId series, const std::vector<NightlyId>& newest_first) {
    for (const auto night : newest_first) {
        if (is_left_out(db, night, series)) continue;
        auto nights = load_level(db, series, night);
        if (nights.empty() || nights.back().nightly != night) return std::nullopt;
        return nights.back();
    }
    return std::nullopt;
}

/// Those that the config judges, in its order, then those that only a rule of series may judge.
std::vector<Metric> metrics_by_rank(const ProjectConfig& config) {
    auto ranked = config.judged;
    for (const auto& [metric, word] : enum_names<Metric>) {
        if (std::ranges::count(ranked, metric) == 0) ranked.push_back(metric);
    }
    return ranked;
}

struct Stopped {
    SeriesId series;
    NightValues good;  ///< the last night in which it ran
};

// The first judged series that stands for a variant, or a case of it; nullopt: it did not run
// before either.
std::optional<Stopped> find_stopped(
    Database& db,
    const ProjectConfig& config,
    ProjectId project,
    const ClassVariant& variant,
    const std::string& case_name,
    const std::vector<NightlyId>& nights_before) {
    for (const auto metric : metrics_by_rank(config)) {
        const auto series = find_series(db, project, variant, case_name, metric);
        if (!series || !is_judged(config, load_series(db, *series))) continue;
        if (auto good = find_good(db, *series, nights_before)) return Stopped{*series, *good};
    }
    return std::nullopt;
}

}  // namespace

NightCounts judge_nightly(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    auto counts = NightJudge(db, config, nightly, now_s).judge(list_values_of(db, nightly.id));
    counts.quarantine += quarantine_unjudged(db, config, nightly, now_s);
    return counts;
}

int judge_outcomes(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    const auto silent = list_silent_variants(db, nightly.id);
    const auto cases = list_silent_cases(db, nightly.id);
    if (silent.empty() && cases.empty()) return 0;
    const auto nights_before = list_nights_before(db, nightly.project, nightly.id, level_window);
    int opened = 0;
    const auto open = [&](const std::optional<Stopped>& stopped, const std::string& why) {
        if (!stopped) return;
        const auto& good = stopped->good;
        const NewOutcomeSuspicion suspicion{
            nightly.id, good.nightly, good.value, "it no longer runs: " + why};
        add_outcome_suspicion(db, load_series(db, stopped->series), suspicion, now_s);
        ++opened;
    };
    const auto find = [&](const ClassVariant& variant, const std::string& case_name) {
        return find_stopped(db, config, nightly.project, variant, case_name, nights_before);
    };
    for (const auto& one : silent) {
        // Where nothing of the program itself is judged, one of its cases stands for it.
        auto stopped = find(one.variant, "");
        for (const auto night : nights_before) {
            if (stopped) break;
            const auto names = list_cases(db, night, one.variant);
            for (std::size_t i = 0; i < names.size() && !stopped; ++i) {
                stopped = find(one.variant, names[i]);
            }
            if (!names.empty()) break;
        }
        open(stopped, one.outcome + (one.message.empty() ? "" : " (" + one.message + ")"));
    }
    for (const auto& one : cases)
        open(find(one.variant, one.case_name), "failed (" + one.message + ")");
    return opened;
}

int judge_leaks(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    const auto nights_before = list_nights_before(db, nightly.project, nightly.id, level_window);
    int leaks = 0;
    for (const auto& one : list_leaking_variants(db, nightly.id)) {
        for (const auto metric : metrics_by_rank(config)) {
            const auto series = find_series(db, nightly.project, one.variant, "", metric);
            if (!series || has_suspicion(db, *series, nightly.id)) continue;
            if (!is_judged(config, load_series(db, *series))) continue;
            const auto good = find_good(db, *series, nights_before);
            if (!good) continue;
            if (has_leak(db, good->nightly, one.variant)) break;  // it is no news
            const auto words = fmt::format(
                "it leaks: memory grows by {:.0f} to {:.0f} bytes with every iteration, in all {} "
                "runs; night {} did not",
                one.low,
                one.high,
                one.runs,
                to_string(good->nightly));
            const auto suspicion = add_outcome_suspicion(
                db,
                load_series(db, *series),
                {nightly.id, good->nightly, good->value, words},
                now_s);
            end_suspicion(
                db, suspicion, {.verdict = Verdict::leak, .reason = "each run measured it"}, now_s);
            ++leaks;
            break;
        }
    }
    return leaks;
}

}  // namespace vigil::service
