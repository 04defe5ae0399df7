#include "bisect/why/sampling.hpp"

#include <catch2/catch.hpp>

#include "bisect/why/why.hpp"
#include "schema/model/metric.hpp"

using namespace vigil;
using namespace vigil::why;
using Catch::Contains;
using profile::CostUnit;
using profile::Profile;

namespace {

/// @param costs  samples of the functions f0, f1, ...
Profile sampled(const std::vector<std::int64_t>& costs, std::int64_t runs = 1) {
    Profile profile;
    profile.unit = CostUnit::samples;
    profile.iterations = runs;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const auto name = "f" + std::to_string(i);
        profile.functions.push_back({name, "src/" + name + ".cpp", costs[i], 0, true, {}, {}});
        profile.total += costs[i];
    }
    profile.frames = {"main"};
    profile.stacks = {{{0}, profile.total}};
    return profile;
}

bool is_noted(const profile::Why& why, const std::string& words) {
    for (const auto& note : why.notes) {
        if (note.find(words) != note.npos) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("Counts of samples are off by their square roots", "[bisect][why]") {
    CHECK(sampling_error(0, 0) == 0);
    CHECK(sampling_error(400, 0) == Approx(20));
    CHECK(sampling_error(300, 100) == Approx(20));
    // 50 samples twice over are off by twice as much as 50 are: sqrt(50) * 2 = sqrt(2 * 100).
    CHECK(sampling_error(0, 100, 2) == Approx(14.142).epsilon(0.001));
    CHECK_FALSE(differs_beyond_error(100, 127));
    CHECK(differs_beyond_error(100, 131));
    CHECK_FALSE(differs_beyond_error(100, 131, 4));
    CHECK_FALSE(differs_beyond_error(0, 0));
}

TEST_CASE("Functions whose samples differ within their error are not shown", "[bisect][why]") {
    const auto why = explain(sampled({1000, 300, 300}), sampled({1400, 330, 270}), 0.25, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.unit == CostUnit::samples);
    CHECK(why.rows[0].function == "f0");
    CHECK(why.rows[0].before == 1000);
    CHECK(why.rows[0].after == 1400);
    CHECK_THAT(why.words, Contains("this row is 100 % of the +25.0 % samples"));
    CHECK(is_noted(why, "2 functions are not shown: their difference is within twice the error"));
    CHECK(profile::calls_text(why, why.rows[0]) == "62.5 % -> 70.0 %");
    const auto text = profile::why_text(why, 100);
    CHECK_THAT(text, Contains("of the run") && Contains("62.5 % -> 70.0 %"));
}

TEST_CASE("Where no function is sure to have changed, none is named", "[bisect][why]") {
    std::vector<std::int64_t> before(40, 60);
    std::vector<std::int64_t> after(40, 66);
    const auto why = explain(sampled(before), sampled(after), 0.1, {});
    CHECK(why.rows.empty());
    CHECK(why.words == "+10.0 % samples, spread over many functions");
    CHECK(is_noted(why, "40 functions are not shown"));
}

TEST_CASE("A run that was made more often is held against as many", "[bisect][why]") {
    const auto why = explain(sampled({2000, 2000}, 4), sampled({1500, 1010}, 2), 0.25, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].after == 3000);
    CHECK(is_noted(why, "it ran 0.50 times as often as before"));
}

TEST_CASE("A loop that runs for as long whatever it does is told by its parts", "[bisect][why]") {
    // f0 takes half as much again: 1000 and 1000 become 1500 and 1000, cut to as long a run.
    const auto why = explain(sampled({1000, 1000}), sampled({1200, 800}), 0.25, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].function == "f0");
    CHECK(why.rows[0].after == 1500);
    CHECK(why.explained == Approx(1));
    CHECK(is_noted(why, "its loop runs for as long"));
    // No part took another's place: it waits.
    const auto waits = explain(sampled({1000, 1000}), sampled({1003, 1001}), 0.25, {});
    CHECK(waits.rows.empty());
    CHECK_THAT(waits.words, Contains("as many samples as before") && Contains("it waits longer"));
    CHECK(as_measured(sampled({1000, 1000}), sampled({1200, 800}), 0).factor == 1);
    CHECK(as_measured(sampled({1000, 1000}), sampled({3600, 2400}), 0.5).factor == 1);
}

TEST_CASE("A small change shows in a function, though not in the total", "[bisect][why]") {
    // +5 % was measured: f0 has 250 more, and the run as a whole was 3 % faster by chance.
    const auto why = explain(sampled({500, 4500}), sampled({727, 4365}), 0.05, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].function == "f0");
    CHECK(why.rows[0].after == 750);
    CHECK(why.explained == Approx(1));
    CHECK(is_noted(why, "off by its own error: the numbers after are multiplied by 1.03"));
    const auto exact = explain(sampled({500, 4500}), sampled({750, 4500}), 0.05, {});
    REQUIRE(exact.rows.size() == 1);
    CHECK(exact.notes.empty());
}

TEST_CASE("Samples without callers, or that disagree, say so", "[bisect][why]") {
    auto cut = sampled({1000, 1000});
    cut.stacks.clear();
    const auto why = explain(cut, sampled({500, 1000}), 0.2, {});
    CHECK(is_noted(why, "-fno-omit-frame-pointer"));
    CHECK(is_noted(why, "disagrees with what was measured"));
    CHECK(is_noted(why, "takes fewer samples"));
}

TEST_CASE("Samples stand in where exact counts leave the question open", "[bisect][why]") {
    profile::Why exact;
    exact.before = 1000;
    exact.after = 1200;
    Profile after;
    CHECK(leaves_open(exact, after, 0.2));  // no row
    exact.rows.emplace_back();
    CHECK_FALSE(leaves_open(exact, after, 0.2));
    CHECK_FALSE(leaves_open(exact, after, 0));
    CHECK(leaves_open(exact, after, -0.2));
    after.interpreter = "python3.11";
    CHECK(leaves_open(exact, after, 0.2));
}

TEST_CASE("Samples too few to show a change explain none", "[bisect][why]") {
    auto after = sampled({6});
    after.functions[0].name = "g";
    const auto why = explain(sampled({6}), after, 0.08, {});  // 6.5 samples are 6
    CHECK(why.rows.empty());
    CHECK(why.explained == 0);
    CHECK_THAT(why.words, Contains("as many samples as before (0.0 %)"));
}

TEST_CASE("Samples are not multiplied by what came from nothing", "[bisect][why]") {
    const auto before = sampled({1000, 5000});
    const auto after = sampled({3000, 3000});
    CHECK(as_measured(before, after, 0.2).factor == Approx(1.2));
    CHECK_FALSE(as_measured(before, after, from_zero).explains);
    CHECK(explain(before, after, from_zero, {}).after == 6000);
}
