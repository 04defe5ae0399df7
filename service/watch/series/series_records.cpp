#include "service/watch/series/series_records.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "service/schedule/judgeable.hpp"
#include "service/store/alone.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

namespace {

constexpr int followed_nights = 730;  // of a history that is followed anew
constexpr int missed_nights = 60;     // that a series may have gone without values

// What the ledger says of one series beside its values.
struct Told {
    std::map<std::int64_t, detect::Answer> answers;  ///< by night
    struct Level {
        std::int64_t first = 0;
        std::int64_t after = 0;  ///< the newest night when it was begun
        bool forgets = false;
        bool by_answer = false;  ///< or by a night's values: the loop begins it by itself
    };
    std::vector<Level> levels;
};

// An older ledger kept verdicts only.
detect::Answer answer_of(Query& row) {
    const auto text = row.get<std::string>(1);
    if (!text.empty()) return parse_answer(text);
    detect::Answer answer;
    answer.verdict = row.get<Verdict>(2);
    answer.asked = parse_enum<detect::Asked>(row.get<std::string>(3));
    answer.old_nights = {row.get<std::int64_t>(4)};
    answer.is_creep = row.get<bool>(5);
    answer.is_measured = row.get<bool>(6);
    answer.moved = row.get<double>(7);
    return answer;
}

Told load_told(Database& db, SeriesId series) {
    Told told;
    {
        auto rows = db.query(
            "SELECT nightly_id, answer, verdict, asked, good_nightly_id, creep, "
            "session_id IS NOT NULL, moved FROM suspicion WHERE series_id = ?1 "
            "AND kind = 'level' AND verdict IS NOT NULL ORDER BY nightly_id",
            series);
        while (rows.next()) told.answers.emplace(rows.get<std::int64_t>(0), answer_of(rows));
    }
    auto rows = db.query(
        "SELECT nightly_id, ifnull(after_nightly_id, nightly_id), forgets, by_answer FROM baseline "
        "WHERE series_id = ?1 AND kind = 'rolling' AND withdrawn = 0 ORDER BY id",
        series);
    while (rows.next()) {
        told.levels.push_back(
            {rows.get<std::int64_t>(0),
             rows.get<std::int64_t>(1),
             rows.get<bool>(2),
             rows.get<bool>(3)});
    }
    return told;
}

// Where the night of an answer is in the history, its level follows from it. Of a night that is
// withdrawn what was done stands, and its level is told.
void drop_followed(std::vector<Told::Level>& levels, const std::vector<NightValues>& nights) {
    std::erase_if(levels, [&](const Told::Level& level) {
        if (!level.by_answer) return false;
        const auto night = std::lower_bound(
            nights.begin(), nights.end(), level.after, [](const auto& one, std::int64_t id) {
                return one.nightly.value < id;
            });
        const bool is_older = night == nights.begin();
        return is_older || (night != nights.end() && night->nightly.value == level.after);
    });
}

// Feeds a record the nights before `tonight` as they came.
detect::SeriesRecord follow_anew(
    Database& db, const detect::LoopRules& rules, SeriesId series, NightlyId tonight) {
    auto nights = load_history(db, series, tonight, followed_nights);
    if (!nights.empty() && nights.back().nightly == tonight) nights.pop_back();
    auto told = load_told(db, series);
    drop_followed(told.levels, nights);
    detect::SeriesRecord record(rules.direction);
    auto level = told.levels.begin();
    const auto begin_levels = [&](std::int64_t until) {
        for (; level != told.levels.end() && level->after <= until; ++level) {
            detect::start_level(record, level->first, level->forgets);
        }
    };
    for (std::size_t i = 0; i < nights.size(); ++i) {
        const auto& night = nights[i];
        begin_levels(night.nightly.value - 1);
        detect::take_night(record, rules, {.id = night.nightly.value, .runs = night.runs});
        const auto answer = told.answers.find(night.nightly.value);
        if (answer == told.answers.end()) {
            detect::decline(record);
        } else {
            detect::take_answer(record, answer->second);
        }
    }
    begin_levels(tonight.value);
    return record;
}

}  // namespace

detect::LoopRules loop_rules(Database& db, const ProjectConfig& config, const SeriesRow& series) {
    detect::LoopRules rules;
    rules.direction = series.direction;
    rules.kind = kind_of(series.metric);
    rules.trigger.threshold = threshold_of(config.thresholds, series.metric);
    if (rules.kind == MetricKind::time) {
        const auto plan =
            find_benchmark(db, config, series.project, series.benchmark, series.variant);
        rules.in_turns = plan.interleave > 1;
    }
    return rules;
}

SeriesRecords::SeriesRecords(
    Database& db, const ProjectConfig& config, ProjectId project, NightlyId tonight)
    : db_(db), config_(config), tonight_(tonight) {
    before_ = db.find<NightlyId>(
        "SELECT MAX(id) FROM night WHERE project_id = ?1 AND id < ?2 AND state <> 'failed'",
        project,
        tonight);
}

detect::SeriesRecord SeriesRecords::before_tonight(const SeriesRow& series) {
    if (db_.execute("DELETE FROM stale_record WHERE series_id = ?1", series.id) > 0) {
        return follow_anew(db_, loop_rules(db_, config_, series), series.id, tonight_);
    }
    const auto fits = [&](const detect::SeriesRecord& record) {
        return record.shape.scale.direction() == series.direction;
    };
    if (before_) {
        auto record = load_record(db_, series.id, before_);
        if (record && fits(*record)) return std::move(*record);
    }
    // Of a series that missed nights the newest measured one counts.
    const auto newest =
        db_.find<NightlyId>("SELECT nightly_id FROM series_record WHERE series_id = ?1", series.id);
    if (newest && *newest < tonight_) {
        auto last = load_history(db_, series.id, NightlyId{tonight_.value - 1}, missed_nights);
        if (!last.empty() && last.back().nightly == *newest) {
            auto record = load_record(db_, series.id, newest);
            if (record && fits(*record)) return std::move(*record);
        }
    }
    return follow_anew(db_, loop_rules(db_, config_, series), series.id, tonight_);
}

std::optional<detect::SeriesRecord> load_record(
    Database& db, SeriesId series, std::optional<NightlyId> until) {
    auto rows =
        db.query("SELECT nightly_id, record FROM series_record WHERE series_id = ?1", series);
    if (!rows.next()) return std::nullopt;
    if (until && rows.get<NightlyId>(0) != *until) return std::nullopt;
    auto record = detect::read_record(rows.get<Blob>(1));
    // Whatever wrote another value: the history tells better.
    if (!record) return std::nullopt;
    const auto& raw = record->shape.kept.raw;
    if (!std::all_of(raw.begin(), raw.end(), is_judgeable)) return std::nullopt;
    return record;
}

void store_record(
    Database& db, SeriesId series, NightlyId newest, const detect::SeriesRecord& record) {
    const auto bytes = detect::write_record(record);
    db.execute(
        "INSERT INTO series_record(series_id, nightly_id, record) VALUES (?1, ?2, ?3) "
        "ON CONFLICT(series_id) DO UPDATE SET nightly_id = excluded.nightly_id, "
        "record = excluded.record",
        series,
        newest,
        Blob(bytes));
}

void mark_stale(Database& db, NightlyId nightly, std::optional<WorkerId> worker) {
    db.execute(
        "INSERT OR IGNORE INTO stale_record(series_id) SELECT m.series_id FROM job j "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN measurement m ON m.run_id = r.id WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' "
        "AND (?2 IS NULL OR r.worker_id = ?2)",
        nightly,
        worker);
}

namespace {

struct Stale {
    SeriesId series;
    std::string project;
    std::optional<NightlyId> newest;  ///< that its record knows; nothing: there is no record
};

// A record with a question waits for its answer.
std::vector<Stale> list_stale(Database& db, int limit) {
    std::vector<Stale> stale;
    auto rows = db.query(
        "SELECT x.series_id, p.name, r.nightly_id FROM stale_record x "
        "JOIN series s ON s.id = x.series_id JOIN project p ON p.id = s.project_id "
        "LEFT JOIN series_record r ON r.series_id = x.series_id WHERE NOT EXISTS (SELECT 1 "
        "FROM suspicion u WHERE u.series_id = x.series_id AND u.nightly_id = r.nightly_id "
        "AND u.state <> 'ended') LIMIT ?1",
        limit);
    while (rows.next()) {
        stale.push_back(
            {rows.get<SeriesId>(0),
             rows.get<std::string>(1),
             rows.get<std::optional<NightlyId>>(2)});
    }
    return stale;
}

// @return  whether there is a record
bool remake(Database& db, const Config& config, const Stale& stale) {
    const auto project = config.projects.find(stale.project);
    if (!stale.newest || project == config.projects.end()) return false;
    const auto rules = loop_rules(db, project->second, load_series(db, stale.series));
    const NightlyId next{stale.newest->value + 1};
    const auto record = follow_anew(db, rules, stale.series, next);
    if (record.ids.empty()) return false;
    store_record(db, stale.series, NightlyId{record.ids.back()}, record);
    return true;
}

}  // namespace

int remake_records(Database& db, const Config& config, int limit) {
    const auto stale = list_stale(db, limit);
    for (const auto& one : stale) {
        bool made = false;
        const auto trouble = try_alone(db, [&] { made = remake(db, config, one); });
        // The next night makes it, or says why it cannot.
        if (trouble || !made) {
            db.execute("DELETE FROM series_record WHERE series_id = ?1", one.series);
        }
        db.execute("DELETE FROM stale_record WHERE series_id = ?1", one.series);
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
    const auto newest =
        db.find<NightlyId>("SELECT nightly_id FROM series_record WHERE series_id = ?1", series);
    db.execute(
        "INSERT INTO baseline(series_id, kind, nightly_id, reason, created_at_s, "
        "after_nightly_id, forgets) VALUES (?1, 'rolling', ?2, ?3, ?4, ?5, ?6)",
        series,
        first_night,
        reason,
        now_s,
        newest,
        forgets ? 1 : 0);
    auto record = load_record(db, series);
    if (!record) return;
    detect::start_level(*record, first_night.value, forgets);
    store_record(db, series, *newest, *record);
}

void note_level(
    Database& db,
    SeriesId series,
    NightlyId first_night,
    NightlyId newest,
    const std::string& reason,
    std::int64_t now_s) {
    db.execute(
        "INSERT INTO baseline(series_id, kind, nightly_id, reason, created_at_s, "
        "after_nightly_id, by_answer) VALUES (?1, 'rolling', ?2, ?3, ?4, ?5, 1)",
        series,
        first_night,
        reason,
        now_s,
        newest);
}

}  // namespace vigil::service
