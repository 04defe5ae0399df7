#include "service/watch/withdraw.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "service/watch/series_records.hpp"
#include "service/watch/suspicions.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

using Bytes = std::vector<std::byte>;

constexpr int nights = 40;
constexpr int lost_night = 11;  // nobody measured it

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
        const auto id = open_suspicion(db(), series_, nightly, word, question, 1);
        end_suspicion(
            db(),
            {id, series_.id, nightly, NightlyId{question.old_nights.front()}, {}, false},
            answer,
            {},
            "the dice",
            1);
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
            id);
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
        if (!runs.empty()) take(nightly, runs);
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
            note_level(db(), series_.id, NightlyId{*word.new_level}, nightly, "stayed", 1);
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

template <class Work>
void commit(Database& db, Work work) {
    Transaction transaction(db);
    work();
    transaction.commit();
}

std::vector<std::int64_t> measured_nights(const Play& play) {
    std::vector<std::int64_t> ids;
    for (const auto& [night, events] : play.told()) ids.push_back(night);
    return ids;
}

/// The oldest and the newest, one of each kind of event, and one of none.
std::set<std::int64_t> telling_nights(const Play& play) {
    const auto ids = measured_nights(play);
    std::set<std::int64_t> chosen{ids.front(), ids.back()};
    const auto add = [&](const auto& is_such) {
        const auto& told = play.told();
        const auto found =
            std::find_if(std::next(told.begin(), 3), told.end(), [&](const auto& one) {
                return is_such(one.second) && !chosen.contains(one.first);
            });
        if (found != told.end()) chosen.insert(found->first);
    };
    add([](const NightEvents& events) { return events.is_filed; });
    add([](const NightEvents& events) { return events.answer && !events.is_filed; });
    add([](const NightEvents& events) { return !events.levels.empty(); });
    add([](const NightEvents& events) { return !events.answer && events.levels.empty(); });
    return chosen;
}

TEST_CASE("A history without a night is that of a ledger which never had it", "[service][watch]") {
    int filed = 0;
    int answered = 0;
    int told = 0;
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
        Play play(seed);
        const auto live = play.next_record();
        REQUIRE(play.fed_without(0) == live);
        const auto ids = measured_nights(play);
        for (const auto night : telling_nights(play)) {
            CAPTURE(seed, night);
            const auto& events = play.told().at(night);
            filed += events.is_filed ? 1 : 0;
            answered += events.answer ? 1 : 0;
            told += static_cast<int>(events.levels.size());
            WithdrawnPart part{NightlyId{night}};
            if (seed % 2 == 0) part.worker = play.worker_of_night(night);
            commit(play.db(), [&] { CHECK(withdraw(play.db(), part, "hot", "ada", 2)); });
            const auto without = play.fed_without(night);
            CHECK(play.next_record() == without);
            commit(play.db(), [&] { CHECK(remake_records(play.db(), play.config(), 10) == 1); });
            CHECK(play.next_record() == without);
            commit(play.db(), [&] { CHECK(remake_records(play.db(), play.config(), 10) == 0); });
            play.db().execute("DELETE FROM series_record");
            CHECK(play.next_record() == without);
            commit(play.db(), [&] { CHECK(restore(play.db(), part, "", "ada", 3)); });
            CHECK(play.next_record() == live);
            commit(play.db(), [&] { remake_records(play.db(), play.config(), 10); });
            CHECK(play.next_record() == live);
        }
    }
    // The dice gave cases of each kind.
    CHECK(filed > 5);
    CHECK(answered > 10);
    CHECK(told > 3);
}

TEST_CASE("Several nights may be withdrawn, and come back in any order", "[service][watch]") {
    for (std::uint32_t seed = 100; seed < 106; ++seed) {
        CAPTURE(seed);
        Play play(seed);
        const auto live = play.next_record();
        const auto ids = measured_nights(play);
        const NightlyId a{ids[8]}, b{ids[20]};
        commit(play.db(), [&] { withdraw(play.db(), {a}, "hot", "ada", 2); });
        const auto without_a = play.next_record();
        commit(play.db(), [&] { withdraw(play.db(), {b}, "hot", "ada", 2); });
        commit(play.db(), [&] { remake_records(play.db(), play.config(), 10); });
        CHECK(play.next_record() != without_a);
        commit(play.db(), [&] { restore(play.db(), {b}, "", "ada", 2); });
        CHECK(play.next_record() == without_a);
        commit(play.db(), [&] { restore(play.db(), {a}, "", "ada", 2); });
        CHECK(play.next_record() == live);
    }
}

TEST_CASE("Withdrawing is done once, and says what cannot be", "[service][watch]") {
    Play play(7);
    auto& db = play.db();
    const NightlyId night{measured_nights(play)[5]};
    const auto worker = play.worker_of_night(night.value);
    commit(db, [&] { CHECK(withdraw(db, {night}, "hot", "ada", 2)); });
    commit(db, [&] { CHECK_FALSE(withdraw(db, {night}, "cold", "bob", 3)); });
    const auto standing = list_withdrawals(db, night);
    REQUIRE(standing.size() == 1);
    CHECK(words_of(standing[0]) == "withdrawn by ada: hot");
    CHECK(db.find<int>("SELECT count(*) FROM event WHERE kind = 'nightly.withdrawn'") == 1);
    CHECK(db.find<int>("SELECT count(*) FROM nightly WHERE summed_up = 0 AND id = ?1", night) == 1);
    CHECK_FALSE(find_night_value(db, play.series().id, night));
    CHECK(load_left_out(db, play.series().id, play.newest(), 60).size() == 1);

    commit(db, [&] { CHECK(withdraw(db, {night, worker}, "driver", "bob", 4)); });
    CHECK(list_withdrawals(db, night).size() == 2);
    commit(db, [&] { CHECK(restore(db, {night}, "", "ada", 5)); });
    CHECK_FALSE(find_night_value(db, play.series().id, night));
    commit(db, [&] { CHECK(restore(db, {night, worker}, "", "ada", 5)); });
    commit(db, [&] { CHECK_FALSE(restore(db, {night, worker}, "", "ada", 6)); });
    CHECK(find_night_value(db, play.series().id, night));
    CHECK(db.find<int>("SELECT count(*) FROM event WHERE kind = 'nightly.restored'") == 2);

    CHECK_THROWS_AS(withdraw(db, {NightlyId{999}}, "hot", "ada", 7), Error);
    CHECK_THROWS_AS(withdraw(db, {night, "nobody"}, "hot", "ada", 7), Error);
    CHECK_THROWS_AS(withdraw(db, {night, "three"}, "hot", "ada", 7), Error);
    db.execute("UPDATE nightly SET beside = 'older' WHERE id = ?1", night);
    CHECK_THROWS_AS(withdraw(db, {night}, "hot", "ada", 7), Error);
}

TEST_CASE("A withdrawn night's changes are told anew, once", "[service][watch]") {
    for (std::uint32_t seed = 1; seed < 40; ++seed) {
        Play play(seed);
        auto& db = play.db();
        const auto night = db.find<NightlyId>("SELECT nightly_id FROM regression LIMIT 1");
        if (!night) continue;
        db.execute("UPDATE regression SET unreported = 0");
        commit(db, [&] { withdraw(db, {*night}, "hot", "ada", 50); });
        CHECK(
            db.find<int>(
                "SELECT count(*) FROM regression WHERE unreported = 1 AND changed_at_s = "
                "50 AND nightly_id = ?1",
                *night) == 1);
        CHECK(db.find<int>("SELECT count(*) FROM regression WHERE state <> 'reported'") == 0);
        return;
    }
    FAIL("the dice filed nothing");
}

}  // namespace
}  // namespace vigil::service
