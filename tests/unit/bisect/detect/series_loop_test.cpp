#include "bisect/detect/series_loop.hpp"

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "bisect/detect/series_answer.hpp"
#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::detect;

namespace {

constexpr double quiet = 0.005;

/// A series whose nights and sessions are drawn; logs, up = worse, around ln(100).
struct Series {
    LoopRules rules;
    SeriesRecord record{Direction::lower_is_better};
    std::mt19937_64 random;
    double noise = quiet;
    std::int64_t id = 0;
    std::vector<OpenRegression> open;

    explicit Series(unsigned seed) : random(seed) {}

    double value(double level) {
        std::normal_distribution<double> normal(0, noise);
        return 100 * std::exp(level + normal(random));
    }

    NightWord night(double level) {
        const std::vector<double> runs{value(level), value(level), value(level)};
        return take_night(record, rules, {.id = ++id, .runs = runs, .open = open});
    }

    void nights(int count, double level = 0) {
        for (int i = 0; i < count; ++i) {
            if (night(level).asks) decline(record);
        }
    }

    /// The session of tonight's question, of builds that differ by `change`.
    SessionWord session(double old_level, double change) {
        std::vector<SessionRun> runs;
        for (;;) {
            const auto word = judge_question(record, rules, runs);
            if (word.decided) return word;
            for (const auto& run : next_runs(*record.question, runs.size())) {
                const double level = old_level + (run.side == Side::b ? change : 0);
                runs.push_back({run.side, static_cast<int>(runs.size()) / 4, value(level)});
            }
            REQUIRE(runs.size() <= 200);
        }
    }
};

}  // namespace

TEST_CASE("Asked or not, a night names the build of the usual level", "[detect]") {
    Series series(3);
    series.nights(20);
    const auto calm = series.night(0);
    REQUIRE(calm.nights_tell);
    CHECK_FALSE(calm.asks);
    CHECK(calm.usual_night == series.id - 1);
    const auto worse = series.night(0.2);
    REQUIRE(worse.asks);
    CHECK(worse.usual_night == series.record.question->old_nights.front());
    decline(series.record);
    // A night off the usual level stands for nothing.
    const auto after = series.night(0);
    CHECK(after.usual_night == series.id - 2);
    CHECK(Series(4).night(0).usual_night == 0);
}

TEST_CASE("A record that was stored goes on as one that was not", "[bisect][detect]") {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        Series kept(seed);
        kept.noise = seed % 2 == 0 ? 0.03 : 0.004;
        std::mt19937_64 world(seed);
        double level = 0;
        for (int night = 0; night < 200; ++night) {
            if (world() % 23 == 0) level += 0.02 * (static_cast<double>(world() % 11) - 5);
            const auto word = kept.night(level);
            if (word.asks) {
                const auto change = 0.02 * (static_cast<double>(world() % 11) - 5);
                switch (world() % 4) {
                    case 0: decline(kept.record); break;
                    case 1:
                        take_answer(kept.record, answer_without_runs(kept.record, Verdict::watch));
                        break;
                    case 2:
                        take_answer(
                            kept.record, answer_without_runs(kept.record, Verdict::environment));
                        break;
                    default: take_answer(kept.record, kept.session(level, change).answer);
                }
            }
            const auto bytes = write_record(kept.record);
            const auto stored = read_record(bytes);
            REQUIRE(stored);
            REQUIRE(write_record(*stored) == bytes);
            REQUIRE(bytes.size() < 3000);
            kept.record = *stored;
        }
    }
}

TEST_CASE("Bytes that are no record are refused", "[bisect][detect]") {
    Series series(3);
    series.nights(40);
    REQUIRE(series.night(0.2).asks);
    const auto bytes = write_record(series.record);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_FALSE(read_record(std::span(bytes).first(size)));
    }
    std::mt19937_64 random(1);
    for (int i = 0; i < 2000; ++i) {
        auto spoiled = bytes;
        spoiled[random() % spoiled.size()] = static_cast<std::byte>(random());
        read_record(spoiled);  // whatever it says, it says it
    }
    CHECK_FALSE(read_record({}));
}

TEST_CASE("A filed regression begins a level, and its end another", "[bisect][detect]") {
    Series series(4);
    series.nights(30);
    REQUIRE(series.night(0.1).asks);
    const auto filed = series.session(0, 0.1);
    REQUIRE(filed.answer.verdict == Verdict::regression);
    const auto level = take_answer(series.record, filed.answer);
    REQUIRE(level);
    CHECK(level->first_night == series.id);
    const double usual = std::log(100);
    series.open = {{1, filed.answer.old_nights.front(), usual, usual + 0.1}};
    for (int i = 0; i < 5; ++i) REQUIRE_FALSE(series.night(0.1).asks);

    SECTION("the first night that looks as before is measured against the old build") {
        REQUIRE(series.night(0).asks);
        REQUIRE(series.record.question->asked == Asked::recovered);
        CHECK(series.record.question->old_nights == std::vector{filed.answer.old_nights.front()});
        const auto fixed = series.session(0, 0);
        CHECK(fixed.answer.verdict == Verdict::fixed);
        CHECK(take_answer(series.record, fixed.answer)->first_night == series.id);
        series.open.clear();
        CHECK_FALSE(series.night(0).asks);
    }
    SECTION("a night that only looked so costs little, and rests") {
        REQUIRE(series.night(0).asks);
        const auto still = series.session(0, 0.1);
        CHECK(still.answer.verdict == Verdict::noise);
        CHECK_FALSE(take_answer(series.record, still.answer));
        const auto asks_again = [&] {
            return series.night(0).asks && series.record.question->asked == Asked::recovered;
        };
        CHECK_FALSE(asks_again());
        CHECK(asks_again());
    }
    SECTION("where the machine became slower since, the fall tells") {
        for (int i = 0; i < 2; ++i) series.nights(1, 0.2);
        start_level(series.record, series.id - 1);
        series.nights(3, 0.2);
        REQUIRE(series.night(0.1).asks);
        CHECK(series.record.question->asked == Asked::recovered);
    }
}

TEST_CASE("What gets no runs waits, and is let go of when it looks calm", "[bisect][detect]") {
    Series series(5);
    series.nights(30);
    REQUIRE(series.night(0.1).asks);
    const auto first = series.record.question->old_nights;
    for (int waited = 1; waited <= 4; ++waited) {
        take_answer(series.record, answer_without_runs(series.record, Verdict::watch));
        const auto word = series.night(0.1);
        REQUIRE(word.asks);
        CHECK(word.waited == waited);
        CHECK(series.record.question->old_nights == first);
    }
    take_answer(series.record, answer_without_runs(series.record, Verdict::watch));
    const auto calm = series.night(0);
    CHECK(calm.lapsed);
    CHECK_FALSE(calm.asks);
}

TEST_CASE("A sum that went on rests once it has its answer", "[bisect][detect]") {
    Series series(11);
    series.noise = 0.002;
    series.nights(10);
    double level = 0;
    bool asked = false;
    while (!asked && level < 0.2) {
        level += 0.004;
        asked = series.night(level).asks && series.record.question->is_creep;
        if (!asked && series.record.question) decline(series.record);
    }
    REQUIRE(asked);
    const double sum = series.record.question->sum;
    take_answer(series.record, answer_without_runs(series.record, Verdict::watch));
    REQUIRE(series.night(level).asks);
    CHECK(series.record.question->sum >= sum);
    take_answer(series.record, answer_without_runs(series.record, Verdict::noise));
    for (int i = 0; i < 10; ++i) CHECK_FALSE(series.night(level).asks);
}

TEST_CASE("A machine that moved and stays is asked about once", "[bisect][detect]") {
    Series series(6);
    series.nights(30);
    REQUIRE(series.night(0.12).asks);
    const auto word = series.session(0.12, 0);
    REQUIRE(word.answer.verdict == Verdict::environment);
    take_answer(series.record, word.answer);
    const auto moved = series.id;
    SECTION("it stays") {
        const auto next = series.night(0.12);
        CHECK_FALSE(next.asks);
        CHECK(next.new_level == moved);
        for (int i = 0; i < 20; ++i) CHECK_FALSE(series.night(0.12).asks);
    }
    SECTION("it went back") {
        const auto next = series.night(0);
        CHECK_FALSE(next.asks);
        CHECK_FALSE(next.new_level);
    }
}

TEST_CASE("A young level knows the noise of the one before", "[bisect][detect]") {
    Series series(7);
    series.noise = 0.03;
    series.nights(40);
    start_level(series.record, series.id + 1);
    int asked = 0;
    for (int i = 0; i < 10; ++i) asked += series.night(0.3).asks ? 1 : 0;
    CHECK(asked <= 1);
    CHECK(level_values(series.record).size() == 10);

    // Measured in another way its noise is another too.
    start_level(series.record, series.id + 1, true);
    CHECK(series.record.nights.empty());
    CHECK(series.night(0).is_first);
}

TEST_CASE("An improvement is a new level, in no hurry", "[bisect][detect]") {
    Series series(8);
    series.nights(30);
    REQUIRE(series.night(-0.12).asks);
    CHECK(series.record.question->asked == Asked::better);
    const auto word = series.session(0, -0.12);
    CHECK(word.answer.verdict == Verdict::improvement);
    CHECK(take_answer(series.record, word.answer)->first_night == series.id);
}

TEST_CASE(
    "Series that measure in turns are asked while their nights cannot tell", "[bisect][detect]") {
    Series series(9);
    series.rules.in_turns = true;
    series.nights(1);
    for (int i = 0; i < 6; ++i) {
        const auto word = series.night(0);
        CHECK(word.asks);
        CHECK(word.is_optional);
        CHECK(series.record.question->asked == Asked::either);
        CHECK(series.record.question->run.spread == 0);
        decline(series.record);
    }
    series.nights(10);
    CHECK_FALSE(series.night(0).asks);
}

TEST_CASE("Blocks are asked for in turn, the first two in halves", "[bisect][detect]") {
    Question question;
    question.old_nights = {7, 6, 5};
    question.in_halves = true;
    const auto sides = [&](std::size_t runs) {
        std::string text;
        for (const auto& run : next_runs(question, runs)) {
            text += run.side == Side::b ? "b" : std::to_string(question.old_nights[run.old]);
        }
        return text;
    };
    CHECK(sides(0) == "7b");
    CHECK(sides(2) == "b6");
    CHECK(sides(4) == "b5");
    CHECK(sides(6) == "7b");
    CHECK(sides(8) == "6bb5");
    question.in_halves = false;
    CHECK(sides(0) == "7bb6");
    CHECK(sides(4) == "b57b");
}

TEST_CASE("A night that cannot be taken changes nothing", "[bisect][detect]") {
    Series series(10);
    series.nights(20);
    const auto before = write_record(series.record);
    const std::vector<double> none;
    const std::vector<double> zero{100, 0, 100};
    const std::vector<double> fine{100};
    const auto take = [&](std::int64_t id, const std::vector<double>& runs) {
        take_night(series.record, series.rules, {.id = id, .runs = runs});
    };
    CHECK_THROWS_AS(take(series.id + 1, none), Error);
    CHECK_THROWS_AS(take(series.id + 1, zero), Error);
    CHECK_THROWS_AS(take(series.id, fine), Error);
    CHECK(write_record(series.record) == before);
}
