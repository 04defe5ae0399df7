#include "bisect/detect/series_watch.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::detect;

namespace {

/// A series whose builds have levels and whose nights move all that runs in them. Logs, up = worse.
struct Course {
    LoopRules rules = {};
    double run = 0.007;
    double night = 0.007;
    std::function<double(int build)> level = [](int) { return 0.0; };
    std::function<double(int night)> moved = [](int) { return 0.0; };      ///< sessions included
    std::function<double(int night)> disturbed = [](int) { return 0.0; };  ///< the night's own runs
    std::function<double(double run)> bent = [](double x) { return x; };
    double base = 100;
};

struct PlayedNights {
    std::vector<NightEnding> endings;
    std::vector<int> runs;  ///< of each night
    const NightEnding& last() const { return endings.back(); }
};

/// Plays nights 0, 1, ... after 28 earlier ones.
PlayedNights play_nights(const Course& course, int nights, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 1);
    double shared = 0;
    const auto value = [&](int build, double extra) {
        const double z =
            course.level(build) + shared + extra + course.bent(course.run * normal(random));
        const double sign = course.rules.direction == Direction::lower_is_better ? 1 : -1;
        const double exact = course.base * std::exp(sign * z);
        return course.rules.kind == MetricKind::memory ? std::round(exact) : exact;
    };
    const auto measured = [&](int night) {
        shared = course.night * normal(random) + course.moved(night);
        std::vector<double> values;
        for (int i = 0; i < 3; ++i) values.push_back(value(night, course.disturbed(night)));
        return values;
    };
    std::vector<std::vector<double>> history;
    for (int night = -28; night < 0; ++night) history.push_back(measured(night));
    SeriesWatch series(course.rules, -28, history);
    PlayedNights played;
    for (int night = 0; night < nights; ++night) {
        auto step = series.take_night(measured(night));
        int runs = 0;
        while (!step.ending) {
            std::vector<double> values;
            for (const int build : step.runs) values.push_back(value(build, 0));
            runs += static_cast<int>(values.size());
            REQUIRE(runs <= 200);
            step = series.take_runs(values);
        }
        played.endings.push_back(*step.ending);
        played.runs.push_back(runs);
        if (step.ending->verdict == Verdict::regression) break;
    }
    return played;
}

std::function<double(int)> step_at(int first, double ratio) {
    return [=](int build) { return build >= first ? std::log1p(ratio) : 0; };
}

int count(const PlayedNights& played, Verdict verdict) {
    int n = 0;
    for (const auto& ending : played.endings) n += ending.verdict == verdict ? 1 : 0;
    return n;
}

}  // namespace

TEST_CASE(
    "A step of ten percent is filed on its first night, with its builds and figures",
    "[bisect][detect]") {
    const auto seed = GENERATE(1u, 2u, 3u, 4u, 5u);
    CAPTURE(seed);
    Course course;
    course.level = step_at(3, 0.10);
    const auto played = play_nights(course, 10, seed);
    REQUIRE(played.last().verdict == Verdict::regression);
    const auto& ending = played.last();
    CHECK(played.endings.size() == 4);
    CHECK(ending.new_build == 3);
    CHECK(ending.old_build < 3);
    CHECK(ending.comparison.change_ratio == Approx(0.10).margin(0.03));
    CHECK(ending.comparison.low < ending.comparison.change_ratio);
    CHECK(ending.comparison.high > ending.comparison.change_ratio);
    CHECK(ending.comparison.above > 0.9);
    CHECK(played.runs.back() <= 24);
    CHECK(played.runs.front() == 0);
}

TEST_CASE("Where higher is better, less is the regression", "[bisect][detect]") {
    Course course;
    course.rules.direction = Direction::higher_is_better;
    course.level = step_at(2, 0.10);
    const auto played = play_nights(course, 6, 6);
    CHECK(played.last().verdict == Verdict::regression);
    CHECK(played.last().comparison.change_ratio == Approx(0.10).margin(0.03));
    CHECK(played.last().comparison.after < played.last().comparison.before);
    course.level = step_at(2, -0.10);
    CHECK(count(play_nights(course, 6, 6), Verdict::regression) == 0);
}

TEST_CASE("Clean nights file nothing, whatever the noise", "[bisect][detect]") {
    const unsigned seed = 7;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    Course gauss{.run = 0.02, .night = 0.02};
    Course spikes;
    spikes.bent = [&](double x) { return uniform(random) < 0.03 ? x + 0.4 : x; };
    Course modes;
    modes.bent = [&](double x) { return uniform(random) < 0.3 ? x + 0.058 : x; };
    Course loud{.run = 0.07, .night = 0.07};
    for (const auto& course : {gauss, spikes, modes, loud}) {
        for (unsigned i = 0; i < 5; ++i) {
            const auto played = play_nights(course, 60, seed + i);
            CHECK(count(played, Verdict::regression) == 0);
            CHECK(played.endings.size() == 60);
        }
    }
}

TEST_CASE("Spikes and two modes do not hide a step", "[bisect][detect]") {
    const unsigned seed = 8;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    Course spikes;
    spikes.bent = [&](double x) { return uniform(random) < 0.03 ? x + 0.4 : x; };
    Course modes;
    modes.bent = [&](double x) { return uniform(random) < 0.3 ? x + 0.058 : x; };
    for (auto course : {spikes, modes}) {
        course.level = step_at(2, 0.12);
        for (unsigned i = 0; i < 5; ++i) {
            const auto played = play_nights(course, 6, seed + i);
            CHECK(played.last().verdict == Verdict::regression);
            CHECK(played.last().new_build >= 2);
            CHECK(played.last().old_build < 2);
        }
    }
}

TEST_CASE("A night that was disturbed by itself ends as noise", "[bisect][detect]") {
    Course course;
    course.disturbed = [](int night) { return night == 2 ? 0.14 : 0.0; };
    const auto played = play_nights(course, 5, 9);
    CHECK(played.endings[2].verdict == Verdict::noise);
    CHECK(played.runs[2] <= 8);
    CHECK_FALSE(played.endings[1].verdict.has_value());
    CHECK(count(played, Verdict::regression) == 0);
}

TEST_CASE(
    "Old and new builds that are slower alike are the environment, said once", "[bisect][detect]") {
    Course course;
    course.moved = [](int night) { return night >= 2 ? 0.09 : 0.0; };
    const auto played = play_nights(course, 8, 10);
    CHECK(played.endings[2].verdict == Verdict::environment);
    CHECK(count(played, Verdict::environment) <= 2);
    CHECK(count(played, Verdict::regression) == 0);
}

TEST_CASE(
    "A real change below the threshold is a drift, and is not asked about every night",
    "[bisect][detect]") {
    Course course{.run = 0.004, .night = 0.003};
    course.level = step_at(2, 0.055);
    const auto played = play_nights(course, 8, 11);
    CHECK(played.endings[2].verdict == Verdict::drift);
    CHECK(count(played, Verdict::drift) <= 2);
    CHECK(count(played, Verdict::regression) == 0);
}

TEST_CASE("A drift within the session cancels in the order of the runs", "[bisect][detect]") {
    Course course;
    course.disturbed = [](int night) { return night == 1 ? 0.14 : 0.0; };
    int runs = 0;
    course.bent = [&runs](double x) { return x + (++runs > 3 * 30 ? 0.004 * (runs - 90) : 0); };
    // Night 1's own runs come after 28 + 1 nights of three; the session warms up from there.
    const auto played = play_nights(course, 2, 12);
    CHECK(played.last().verdict != Verdict::regression);
    CHECK(played.runs.back() > 0);
}

TEST_CASE(
    "What one night cannot decide is watched, and the nights are pooled", "[bisect][detect]") {
    int watched = 0, filed_after_watch = 0, longest = 0;
    for (unsigned seed = 100; seed < 140; ++seed) {
        CAPTURE(seed);
        Course course{.run = 0.03, .night = 0.01};
        course.rules.max_blocks = 8;
        course.level = step_at(0, 0.075);
        const auto played = play_nights(course, 6, seed);
        int in_a_row = 0;
        for (std::size_t i = 0; i < played.endings.size(); ++i) {
            const bool watch = played.endings[i].verdict == Verdict::watch;
            in_a_row = watch ? in_a_row + 1 : 0;
            longest = std::max(longest, in_a_row);
            if (!watch || i + 1 == played.endings.size()) continue;
            ++watched;
            if (in_a_row >= 3) continue;
            // The next night is held against the same old build, suspicious or not.
            const auto& next = played.endings[i + 1];
            REQUIRE(next.verdict.has_value());
            CHECK(next.old_build == played.endings[i].old_build);
            CHECK(next.new_build == played.endings[i].new_build + 1);
            filed_after_watch += next.verdict == Verdict::regression ? 1 : 0;
        }
    }
    CHECK(watched > 3);
    CHECK(filed_after_watch > 0);
    CHECK(longest <= 3 + 2);
}

TEST_CASE("Deterministic memory is exact at the threshold, in four runs", "[bisect][detect]") {
    Course course{.run = 0, .night = 0};
    course.rules.kind = MetricKind::memory;
    course.base = 10'000'000;
    course.level = step_at(1, 0.07);
    const auto at = play_nights(course, 5, 13);
    CHECK(at.endings[1].verdict == Verdict::drift);
    CHECK(at.runs[1] == 4);
    CHECK(count(at, Verdict::regression) == 0);
    course.level = step_at(1, 0.0701);
    const auto above = play_nights(course, 5, 13);
    CHECK(above.last().verdict == Verdict::regression);
    CHECK(above.last().new_build == 1);
    CHECK(above.runs.back() == 4);
    CHECK(above.last().comparison.above == 1);
}

TEST_CASE("The same nights give the same answers", "[bisect][detect]") {
    Course course{.run = 0.03, .night = 0.03};
    course.level = step_at(3, 0.08);
    const auto first = play_nights(course, 8, 14);
    const auto second = play_nights(course, 8, 14);
    REQUIRE(first.endings.size() == second.endings.size());
    CHECK(first.runs == second.runs);
    for (std::size_t i = 0; i < first.endings.size(); ++i) {
        CHECK(first.endings[i].reason == second.endings[i].reason);
    }
}

TEST_CASE("A series refuses what is out of turn or not above 0, and goes on", "[bisect][detect]") {
    CHECK_THROWS_AS(SeriesWatch({}, 0, {}), Error);
    CHECK_THROWS_AS(SeriesWatch({}, 0, {{1.0, 0.0}}), Error);
    SeriesWatch series({}, -2, {{100, 101, 102}, {100, 101, 102}});
    CHECK_THROWS_AS(series.take_runs({1.0}), Error);
    CHECK_THROWS_AS(series.take_night({}), Error);
    CHECK_THROWS_AS(series.take_night({NAN}), Error);
    CHECK(series.newest_build() == -1);
    const auto step = series.take_night({150, 151, 152});
    REQUIRE_FALSE(step.ending);
    CHECK(series.waits_for_runs());
    CHECK_THROWS_AS(series.take_night({100, 101, 102}), Error);
    CHECK_THROWS_AS(series.take_runs({100}), Error);
    CHECK_THROWS_AS(series.take_runs(std::vector<double>(step.runs.size(), -1.0)), Error);
    CHECK(series.waits_for_runs());
    const auto after = series.take_runs(std::vector<double>(step.runs.size(), 100.0));
    REQUIRE(after.ending);
    CHECK(after.ending->verdict == Verdict::noise);
}
