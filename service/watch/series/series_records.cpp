#include "service/watch/series/series_records.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "service/schedule/judgeable.hpp"
#include "service/store/alone.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/answers.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

namespace {

constexpr int followed_nights = 730;  // of a history that is followed anew
constexpr int missed_nights = 60;     // that a series may have gone without values

std::optional<NightlyId> newest_of(const std::vector<NightlyId>& nights) {
    return nights.empty() ? std::nullopt : std::optional(nights.front());
}

// Of a step that a backfill found in the past: its first night.
NightlyId begun_after(const LevelRow& level) {
    return level.after.value_or(level.first_night);
}

// Where the night of an answer is in the history, its level follows from it. Of a night that is
// withdrawn what was done stands, and its level is told.
void drop_followed(std::vector<LevelRow>& levels, std::span<const NightValues> nights) {
    std::erase_if(levels, [&](const LevelRow& level) {
        if (!level.by_answer) return false;
        const auto after = begun_after(level);
        const auto night = std::lower_bound(
            nights.begin(), nights.end(), after, [](const auto& one, NightlyId id) {
                return one.nightly < id;
            });
        const bool is_older = night == nights.begin();
        return is_older || (night != nights.end() && night->nightly == after);
    });
}

// A night that is fed to a record, and what it says.
struct TakenNight {
    const NightValues& values;
    const detect::NightWord& word;
    bool is_answered = false;
};

using Visit = std::function<void(const TakenNight&, const detect::SeriesRecord&)>;

// Feeds a record these nights as they came, which are before `tonight`.
// @param visit  is called with each, in their order, when its answer is taken
detect::SeriesRecord follow_nights(
    Database& db,
    const detect::LoopRules& rules,
    SeriesId series,
    NightlyId tonight,
    std::span<const NightValues> nights,
    const Visit& visit = {}) {
    const auto answers = load_answers(db, series);
    auto levels = list_levels(db, series);
    drop_followed(levels, nights);
    detect::SeriesRecord record(rules.direction);
    auto level = levels.begin();
    const auto begin_levels = [&](std::int64_t until) {
        for (; level != levels.end() && begun_after(*level).value <= until; ++level) {
            detect::start_level(record, level->first_night.value, level->forgets);
        }
    };
    for (const auto& night : nights) {
        begin_levels(night.nightly.value - 1);
        const auto word =
            detect::take_night(record, rules, {.id = night.nightly.value, .runs = night.runs});
        const auto answer = answers.find(night.nightly.value);
        const bool is_answered = answer != answers.end();
        if (is_answered) {
            detect::take_answer(record, answer->second);
        } else {
            detect::decline(record);
        }
        if (visit) visit({night, word, is_answered}, record);
    }
    begin_levels(tonight.value);
    return record;
}

// The newest nights before `tonight`.
detect::SeriesRecord follow_anew(
    Database& db,
    const detect::LoopRules& rules,
    SeriesId series,
    NightlyId tonight,
    const Visit& visit = {}) {
    auto nights = load_history(db, series, tonight, followed_nights);
    if (!nights.empty() && nights.back().nightly == tonight) nights.pop_back();
    return follow_nights(db, rules, series, tonight, nights, visit);
}

// Whatever wrote another value: the history tells better.
bool is_sound(const detect::SeriesRecord& record) {
    const auto& raw = record.shape.kept.raw;
    return std::all_of(raw.begin(), raw.end(), is_judgeable);
}

// @return  whether there is a record
bool remake(Database& db, const Config& config, const StaleRecord& stale) {
    const auto project = config.projects.find(stale.project);
    if (project == config.projects.end()) return false;
    const auto series = load_series(db, stale.series);
    auto newest = stale.newest;
    // Years may come at once: not all of it is left to the next night.
    if (is_external(project->second)) {
        newest = std::max(newest, find_newest_done(db, series.project));
    }
    if (!newest) return false;
    const auto rules = loop_rules(db, project->second, series);
    const NightlyId next{newest->value + 1};
    const auto record = follow_anew(db, rules, stale.series, next);
    if (record.ids.empty()) return false;
    store_record(db, stale.series, NightlyId{record.ids.back()}, record);
    return true;
}

}  // namespace

bool is_judged(const ProjectConfig& config, Metric metric, Judging judging) {
    switch (judging) {
        case Judging::as_metric: break;
        case Judging::always: return true;
        case Judging::never:
        case Judging::no_direction: return false;
    }
    return std::find(config.judged.begin(), config.judged.end(), metric) != config.judged.end();
}

double threshold_of(const ProjectConfig& config, const SeriesRow& series) {
    return series.threshold.value_or(threshold_of(config.thresholds, series.metric));
}

detect::LoopRules loop_rules(Database& db, const ProjectConfig& config, const SeriesRow& series) {
    detect::LoopRules rules;
    rules.direction = series.direction;
    rules.kind = kind_of(series.metric);
    rules.bar.threshold = threshold_of(config, series);
    if (rules.kind == MetricKind::time && !is_external(config)) {
        const auto plan = find_benchmark(db, config, series.project, variant_of(series));
        rules.in_turns = plan.interleave > 1;
    }
    return rules;
}

std::optional<detect::LoopRules> find_loop_rules(
    Database& db, const ProjectConfig& config, const SeriesRow& series) {
    try {
        return loop_rules(db, config, series);
    } catch (const Error& error) {
        if (error.code() != Errc::not_found) throw;
        return std::nullopt;
    }
}

SeriesRecords::SeriesRecords(
    Database& db, const ProjectConfig& config, ProjectId project, NightlyId tonight)
    : db_(db),
      config_(config),
      tonight_(tonight),
      before_(newest_of(list_nights_before(db, project, tonight, 1))) {}

detect::SeriesRecord SeriesRecords::before_tonight(const SeriesRow& series) {
    const bool is_stale = unmark_stale(db_, series.id);
    auto remembered = is_stale ? std::nullopt : find_remembered(series);
    if (remembered) return std::move(*remembered);
    return follow_anew(db_, loop_rules(db_, config_, series), series.id, tonight_);
}

std::optional<detect::SeriesRecord> SeriesRecords::find_remembered(const SeriesRow& series) {
    auto row = find_record(db_, series.id);
    if (!row || !row->record || !is_sound(*row->record)) return std::nullopt;
    if (row->record->shape.scale.direction() != series.direction) return std::nullopt;
    if (row->newest == before_) return std::move(row->record);
    // Of a series that missed nights the newest measured one counts.
    if (row->newest >= tonight_) return std::nullopt;
    const auto last = load_history(db_, series.id, NightlyId{tonight_.value - 1}, missed_nights);
    if (last.empty() || last.back().nightly != row->newest) return std::nullopt;
    return std::move(row->record);
}

std::optional<detect::SeriesRecord> load_record(
    Database& db, SeriesId series, std::optional<NightlyId> until) {
    auto row = find_record(db, series);
    if (!row || (until && row->newest != until)) return std::nullopt;
    if (!row->record || !is_sound(*row->record)) return std::nullopt;
    return std::move(row->record);
}

std::optional<detect::NightWord> find_unanswered(
    Database& db, const ProjectConfig& config, const SeriesRow& series) {
    if (const auto stored = load_record(db, series.id); stored && stored->question) return {};
    std::optional<detect::NightWord> word;
    constexpr NightlyId after_all{std::numeric_limits<std::int64_t>::max()};
    follow_anew(
        db,
        loop_rules(db, config, series),
        series.id,
        after_all,
        [&](const TakenNight& night, const detect::SeriesRecord&) {
            const bool asks = night.word.asks && !night.is_answered;
            word = asks ? std::optional(night.word) : std::nullopt;
        });
    return word;
}

std::vector<FollowedNight> follow_series(
    Database& db,
    const detect::LoopRules& rules,
    SeriesId series,
    std::span<const NightValues> nights) {
    std::vector<FollowedNight> followed;
    if (nights.empty()) return followed;
    followed.reserve(nights.size());
    const NightlyId next{nights.back().nightly.value + 1};
    follow_nights(
        db, rules, series, next, nights, [&](const TakenNight& night, const detect::SeriesRecord&) {
            if (night.word.is_first) return;
            followed.push_back({night.values.nightly, night.word.base, night.word.score});
        });
    return followed;
}

std::optional<NightlyId> NightWhy::night_at(std::size_t place) const {
    const auto found = std::ranges::lower_bound(places, place);
    if (found == places.end() || *found != place) return std::nullopt;
    return nights[static_cast<std::size_t>(found - places.begin())];
}

std::optional<NightWhy> explain_series_night(
    Database& db, const detect::LoopRules& rules, SeriesId series, NightlyId nightly) {
    const auto own = load_history(db, series, nightly, 1);
    if (own.empty() || own.back().nightly != nightly) return std::nullopt;
    auto record = follow_anew(db, rules, series, nightly);
    NightWhy why;
    why.value = own.back().value;
    const trend::LevelWatchRules shape_rules;  // those of the loop
    why.shape = trend::explain_night(
        trend::LevelWatch(record.shape, shape_rules), why.value, rules.direction, shape_rules);
    for (const auto id : record.ids) why.nights.push_back(NightlyId{id});
    why.places = record.shape.kept.night;
    why.nights.push_back(nightly);
    why.places.push_back(record.shape.next_night);
    why.word = detect::take_night(record, rules, {.id = nightly.value, .runs = own.back().runs});
    return why;
}

int remake_records(Database& db, const Config& config, int limit) {
    const auto stale = list_stale(db, limit);
    for (const auto& one : stale) {
        bool made = false;
        const auto trouble = try_alone(db, [&] { made = remake(db, config, one); });
        // The next night makes it, or says why it cannot.
        if (trouble || !made) drop_record(db, one.series);
        unmark_stale(db, one.series);
    }
    return static_cast<int>(stale.size());
}

void begin_level(
    Database& db,
    SeriesId series,
    NightlyId first_night,
    const std::string& reason,
    std::int64_t now_s,
    bool forgets) {
    auto row = find_record(db, series);
    const auto newest = row ? std::optional(row->newest) : std::nullopt;
    const LevelRow level{.first_night = first_night, .after = newest, .forgets = forgets};
    add_level(db, series, level, reason, now_s);
    if (!row || !row->record || !is_sound(*row->record)) return;
    detect::start_level(*row->record, first_night.value, forgets);
    store_record(db, series, row->newest, *row->record);
}

int begin_levels_of_times(
    Database& db,
    NightlyId nightly,
    NightlyId first,
    const std::string& why,
    const std::function<bool(const SeriesRow&)>& is_moved,
    std::int64_t now_s) {
    int begun = 0;
    for (const auto& series : list_series_of(db, nightly)) {
        if (kind_of(series.metric) != MetricKind::time || !is_moved(series)) continue;
        begin_level(db, series.id, first, why, now_s);
        ++begun;
    }
    return begun;
}

}  // namespace vigil::service
