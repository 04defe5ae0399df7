#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "service/watch/series/series_records.hpp"
#include "service/watch/series/suspicions.hpp"
#include "tests/support/job_scene.hpp"

// A series whose nights, answers and levels are drawn, in a ledger and beside it.

namespace vigil::service::testing {

using Bytes = std::vector<std::byte>;

inline constexpr int nights = 40;
inline constexpr int lost_night = 11;  // nobody measured it
inline constexpr int unjudged_night = 17;

struct Told {
    std::int64_t first = 0;
    bool forgets = false;
};

/// What the loop was told after one night's values.
struct NightEvents {
    std::vector<double> runs;
    std::optional<detect::Answer> answer;
    bool is_filed = false;
    std::vector<Told> levels;  ///< that machines began
};

/// One series, played live into a ledger by the same steps as the daemon: values, answers that the
/// dice choose, and levels that machines begin. What it was told is kept beside the ledger.
class Play {
  public:
    explicit Play(std::uint32_t seed) : dice_(seed) {
        auto& project = scene_.config.projects["toy"];
        project.name = "toy";
        BenchmarkPlan plan;
        plan.benchmark = "mlp";
        plan.variant = "train";
        plan.command = {"./bench"};
        project.suites["core"] = {plan};
        db().execute(
            "INSERT INTO series(project_id, benchmark, variant, machine_class_id, metric, "
            "definition, unit, direction) VALUES (?1, 'mlp', 'train', ?2, 'cpu_time_ns', 1, 'ns', "
            "'lower_is_better')",
            scene_.project,
            scene_.machine_class);
        series_ = load_series(db(), SeriesId{db().last_insert_id()});
        for (int night = 1; night <= nights; ++night) play();
    }

    Database& db() { return scene_.db; }
    const Config& config() const { return scene_.config; }
    NightlyId newest() const { return newest_; }
    const SeriesRow& series() const { return series_; }
    const std::map<std::int64_t, NightEvents>& told() const { return told_; }
    std::string worker_of_night(std::int64_t night) const { return night % 2 == 0 ? "one" : "two"; }

    detect::LoopRules rules() {
        return loop_rules(db(), scene_.config.projects.at("toy"), series_);
    }

    /// The record before a night that is still to come.
    Bytes next_record() {
        const Transaction nothing_stays(db());
        return detect::write_record(before({newest_.value + 1}));
    }

    /// The same by feeding the loop in commit order what a ledger says in which `without` was never
    /// measured. A level on which a regression was filed is told, and begins with the next night.
    Bytes fed_without(std::int64_t without) {
        detect::SeriesRecord record(Direction::lower_is_better);
        const auto rules = this->rules();
        for (const auto& [night, events] : told_) {
            if (night != without) {
                detect::take_night(record, rules, {.id = night, .runs = events.runs});
                events.answer ? void(detect::take_answer(record, *events.answer))
                              : detect::decline(record);
            } else if (events.is_filed) {
                detect::start_level(record, night);
            }
            for (const auto& level : events.levels) {
                detect::start_level(record, level.first, level.forgets);
            }
        }
        return detect::write_record(record);
    }

  private:
    int roll(int sides) { return std::uniform_int_distribution<int>(1, sides)(dice_); }

    detect::SeriesRecord before(NightlyId night) {
        SeriesRecords records(db(), scene_.config.projects.at("toy"), scene_.project, night);
        return records.before_tonight(series_);
    }

    NightlyId arrive(const std::vector<double>& runs) {
        const auto build = scene_.add_build();
        const auto day = std::to_string(++day_);
        db().execute(
            "INSERT INTO nightly(project_id, build_id, version, day, revision, state, "
            "created_at_s) SELECT ?1, ?2, ?3, ?3, revision, 'done', 1 FROM build WHERE id = ?2",
            scene_.project,
            build,
            day);
        const NightlyId nightly{db().last_insert_id()};
        const auto job = scene_.add_job({build});
        const auto worker = worker_of_night(nightly.value) == "one" ? scene_.one : scene_.two;
        db().execute(
            "UPDATE job SET nightly_id = ?2, purpose = 'nightly', state = 'done', attempt = 1 "
            "WHERE id = ?1",
            job,
            nightly);
        int step = 0;
        for (const double value : runs) {
            db().execute(
                "INSERT INTO run(job_id, attempt, step, build_id, benchmark, variant, "
                "machine_class_id, worker_id, outcome, started_at_ns, duration_ns) VALUES (?1, 1, "
                "?2, ?3, 'mlp', 'train', ?4, ?5, 'passed', 1, 1)",
                job,
                step++,
                build,
                scene_.machine_class,
                worker);
            db().execute(
                "INSERT INTO measurement VALUES (?1, ?2, ?3, 0, 1, x'00')",
                db().last_insert_id(),
                series_.id,
                value);
        }
        return nightly;
    }

    void answer(
        NightlyId nightly, const detect::NightWord& word, const detect::Question& question) {
        const auto record = load_record(db(), series_.id, nightly);
        constexpr std::array verdicts{
            Verdict::regression,
            Verdict::improvement,
            Verdict::noise,
            Verdict::watch,
            Verdict::drift,
            Verdict::environment};
        auto answer = detect::answer_without_runs(
            *record, verdicts.at(static_cast<std::size_t>(roll(6)) - 1));
        if (roll(3) > 1) {
            answer.is_measured = true;
            answer.evidence = {0.01 * roll(10), 0.0001 * roll(5)};
            answer.old_moved = 0.01 * roll(5);
            answer.above = 0.1 * roll(9);
        }
        const auto suspicion = open_suspicion(db(), series_, nightly, word, question, 1);
        detect::SessionWord said;
        said.answer = answer;
        said.reason = "the dice";
        answer_suspicion(db(), suspicion, *record, said, 1);
        auto& events = told_[nightly.value];
        events.answer = answer;
        events.is_filed = answer.verdict == Verdict::regression && roll(2) == 1;
        if (!events.is_filed) return;
        const auto build =
            db().find<BuildId>("SELECT build_id FROM nightly WHERE id = ?1", nightly);
        db().execute(
            "INSERT INTO regression(project_id, nightly_id, state, good_build_id, bad_build_id, "
            "created_at_s, changed_at_s) VALUES (?1, ?2, 'reported', ?3, ?3, 1, 1)",
            scene_.project,
            nightly,
            *build);
        db().execute(
            "INSERT INTO regression_series(regression_id, series_id, suspicion_id) "
            "VALUES (?1, ?2, ?3)",
            db().last_insert_id(),
            series_.id,
            suspicion.id);
    }

    void play() {
        Transaction transaction(db());
        if (roll(8) == 1) level_ *= 1 + 0.03 * (roll(9) - 4);
        std::normal_distribution<double> noise(0, 0.01);
        std::vector<double> runs;
        const double spell = noise(dice_);
        for (int run = 0; run < 3; ++run) {
            runs.push_back(1e7 * level_ * std::exp(spell + noise(dice_)));
        }
        if (day_ + 1 == lost_night) runs.clear();
        const auto nightly = arrive(runs);
        if (day_ == unjudged_night) {
            db().execute("UPDATE nightly SET state = 'failed' WHERE id = ?1", nightly);
        } else if (!runs.empty()) {
            take(nightly, runs);
        }
        newest_ = nightly;
        transaction.commit();
    }

    void take(NightlyId nightly, const std::vector<double>& runs) {
        auto record = before(nightly);
        const auto word = detect::take_night(record, rules(), {.id = nightly.value, .runs = runs});
        store_record(db(), series_.id, nightly, record);
        auto& events = told_[nightly.value];
        events.runs = runs;
        if (word.new_level) {
            const LevelRow level{NightlyId{*word.new_level}, nightly, false, true};
            add_level(db(), series_.id, level, "stayed", 1);
        }
        if (word.asks && roll(5) > 1) {
            answer(nightly, word, *record.question);
        } else {
            detect::decline(record);
            store_record(db(), series_.id, nightly, record);
        }
        if (roll(12) > 1) return;
        const Told level{nightly.value - roll(2) + 1, roll(2) == 1};
        events.levels.push_back(level);
        begin_level(
            db(),
            series_.id,
            NightlyId{std::max<std::int64_t>(level.first, 1)},
            "moved",
            1,
            level.forgets);
        events.levels.back().first = std::max<std::int64_t>(level.first, 1);
    }

    test::JobScene scene_;
    std::mt19937 dice_;
    SeriesRow series_;
    std::map<std::int64_t, NightEvents> told_;
    NightlyId newest_;
    int day_ = 0;
    double level_ = 1;
};

}  // namespace vigil::service::testing
