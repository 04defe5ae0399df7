#include "service/watch/search/why.hpp"

#include <catch2/catch.hpp>

#include "schema/profile/profile_json.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

WhyCandidate candidate(std::int64_t series, Metric metric, double change_ratio) {
    return {SeriesId{series}, metric, BenchmarkKind::command, false, change_ratio};
}

ProfiledStep step(int number, std::int64_t cost) {
    profile::Profile profile;
    profile.total = cost;
    profile.functions.push_back({"sort", "src/sort.cpp", cost, 10, true, {}, {}});
    return {number, Outcome::passed, "", 1, profile::profile_text(profile, 10'000)};
}

/// By callgrind alone.
WhyAnswer answer(
    const std::vector<ProfiledStep>& steps, double ratio, const std::set<std::string>& touched) {
    return answer_of(steps, {{Profiler::callgrind, MetricKind::time, ratio}}, touched);
}

ProfiledStep sampled_step(int number, std::int64_t samples) {
    profile::Profile profile;
    profile.unit = profile::CostUnit::samples;
    profile.total = samples;
    profile.functions.push_back({"wait", "src/wait.cpp", samples, 0, true, {}, {}});
    return {number, Outcome::passed, "", 1, profile::profile_text(profile, 10'000)};
}

ProfiledStep memory_step(int number, std::int64_t bytes) {
    profile::Profile profile;
    profile.unit = profile::CostUnit::peak_bytes;
    profile.total = bytes;
    profile.functions.push_back({"fill", "src/fill.cpp", bytes, 10, true, {}, {}});
    return {number, Outcome::passed, "", 1, profile::profile_text(profile, 10'000)};
}

/// @param peak  bytes that its operator holds; 0: not known
ProfiledStep operators(int number, std::int64_t ns, std::int64_t peak = 0) {
    profile::Profile profile;
    profile.unit = profile::CostUnit::operator_ns;
    profile.total = ns;
    profile.allocated = ns / 2;
    profile.functions.push_back({"aten::mm", "", ns, 1, true, {}, {}});
    profile.functions.back().bytes = ns / 2;
    if (peak > 0) profile.memory.push_back({"aten::mm", "", peak, 1, true, {}, {}});
    return {number, Outcome::passed, "", 1, profile::profile_text(profile, 10'000)};
}

}  // namespace

TEST_CASE(
    "Of time and of memory, the series that got worse the most is profiled", "[service][watch]") {
    const auto both = choose_profiled(
        {candidate(1, Metric::cpu_time_ns, 0.1),
         candidate(2, Metric::peak_process_bytes, 0.9),
         candidate(3, Metric::wall_time_ns, 0.2)});
    CHECK(both.why_none.empty());
    REQUIRE(both.series.size() == 2);
    CHECK(both.series[0].series == SeriesId{3});
    CHECK(both.series[0].profilers == std::vector{Profiler::callgrind, Profiler::perf});
    CHECK(both.series[1].series == SeriesId{2});
    CHECK(both.series[1].profilers == std::vector{Profiler::dhat});
    const auto memory = choose_profiled(
        {candidate(1, Metric::peak_process_bytes, 0.2),
         candidate(2, Metric::peak_alloc_bytes, 0.5),
         candidate(3, Metric::peak_gpu_bytes, 0.9)});
    REQUIRE(memory.series.size() == 1);
    CHECK(memory.series[0].series == SeriesId{2});
    CHECK(memory.series[0].profilers == std::vector{Profiler::dhat});
}

TEST_CASE("Operators are listed of each kind, on machines of one class", "[service][watch]") {
    auto time = candidate(4, Metric::cpu_time_ns, 0.3);
    time.kind = BenchmarkKind::torch;
    auto memory = candidate(5, Metric::peak_alloc_bytes, 0.3);
    memory.kind = BenchmarkKind::torch;
    const auto both = choose_profiled({memory, time});
    REQUIRE(both.series.size() == 2);
    CHECK(
        both.series[0].profilers ==
        std::vector{Profiler::operators, Profiler::callgrind, Profiler::perf});
    CHECK(both.series[1].profilers == std::vector{Profiler::operators, Profiler::dhat});
    CHECK(
        choose_profiled({memory}).series.at(0).profilers ==
        std::vector{Profiler::operators, Profiler::dhat});
    memory.machine_class = MachineClassId{2};
    CHECK(choose_profiled({memory, time}).series.size() == 1);
}

TEST_CASE("A worker tells by what it can profile", "[service][watch]") {
    CHECK(profiles_by("callgrind", Profiler::callgrind));
    CHECK_FALSE(profiles_by("callgrind", Profiler::dhat));
    CHECK(profiles_by("callgrind dhat", Profiler::dhat));
    CHECK_FALSE(profiles_by("", Profiler::dhat));
    CHECK_FALSE(profiles_by(" dhatter", Profiler::dhat));
}

TEST_CASE("What cannot be profiled is told with what helps", "[service][watch]") {
    const auto memory = choose_profiled({candidate(1, Metric::peak_gpu_bytes, 0.5)});
    CHECK(memory.series.empty());
    CHECK_THAT(memory.why_none, Contains("only memory of the GPU grew"));
    auto broken = candidate(1, Metric::cpu_time_ns, 1);
    broken.by_outcome = true;
    CHECK_THAT(choose_profiled({broken}).why_none, Contains("no longer runs"));
    auto file = candidate(1, Metric::artifact_bytes, 0.1);
    file.kind = BenchmarkKind::artifact;
    auto build = candidate(2, Metric::build_time_ns, 0.1);
    build.kind = BenchmarkKind::build;
    CHECK_THAT(choose_profiled({file, build}).why_none, Contains("nothing to count"));
    CHECK_THAT(choose_profiled({file}).why_none, Contains("nothing to count"));
    CHECK_FALSE(choose_profiled({}).why_none.empty());
}

TEST_CASE("A benchmark is profiled alone, with a limit of its own", "[service][watch]") {
    BenchmarkPlan plan;
    plan.interleave = 4;
    plan.callgrind = true;
    plan.counts_instructions = true;
    plan.limits.wall_time_s = 5;
    const auto profiled = profiled_plan(plan, Profiler::dhat, 600);
    CHECK(profiled.profiler == Profiler::dhat);
    CHECK(profiled.environment == plan.environment);
    CHECK(profiled.profiled);
    CHECK_FALSE(profiled.callgrind);
    CHECK_FALSE(profiled.counts_instructions);
    CHECK(profiled.interleave == 1);
    CHECK(profiled.limits.wall_time_s == 600);
    CHECK(profiled.limits.memory_bytes > plan.limits.memory_bytes);
}

TEST_CASE("Two profiles are compared, parent first", "[service][watch]") {
    const auto got = answer({step(0, 1000), step(1, 1500)}, 0.5, {"src/sort.cpp"});
    REQUIRE(got.found);
    CHECK(got.found->before == 1000);
    CHECK(got.found->after == 1500);
    REQUIRE(got.found->rows.size() == 1);
    CHECK(got.found->rows[0].touched);
}

TEST_CASE("Profiles that disagree with what was measured say so", "[service][watch]") {
    const auto got = answer({step(0, 1500), step(1, 1000)}, 0.5, {});
    REQUIRE(got.found);
    REQUIRE_FALSE(got.found->notes.empty());
    CHECK_THAT(got.found->notes.front(), Contains("disagrees with what was measured"));
}

TEST_CASE("A side without a profile is named with the reason", "[service][watch]") {
    CHECK_THAT(answer({step(0, 1000)}, 0.5, {}).why_none, Contains("the culprit's build failed"));
    ProfiledStep late{1, Outcome::timeout, "it did not end within 10 min", 1, ""};
    CHECK_THAT(
        answer({step(0, 1000), late}, 0.5, {}).why_none,
        Contains("the culprit's run") && Contains("within 10 min") && Contains("why.timeout_s"));
    ProfiledStep crashed{0, Outcome::failed, "it exited with 3", 1, ""};
    const auto why = answer({crashed, step(1, 1000)}, 0.5, {}).why_none;
    CHECK_THAT(why, Contains("the parent's run") && Contains("exited with 3"));
    CHECK(why.find("timeout_s") == std::string::npos);
    ProfiledStep odd{1, Outcome::passed, "", 1, "{}"};
    CHECK_THAT(answer({step(0, 1), odd}, 0.5, {}).why_none, Contains("cannot be read"));
}

TEST_CASE("Operators come first, functions beside them", "[service][watch]") {
    const auto both = [](MetricKind kind) {
        return std::vector<ProfiledBy>{
            {Profiler::operators, kind, 0.5}, {Profiler::callgrind, kind, 0.5}};
    };
    const std::vector steps{operators(0, 1000), operators(1, 2000), step(2, 1000), step(3, 1500)};
    const auto time = answer_of(steps, both(MetricKind::time), {});
    REQUIRE(time.found);
    CHECK(time.found->unit == profile::CostUnit::operator_ns);
    CHECK(time.found->rows.at(0).function == "aten::mm");
    REQUIRE(time.found->beside.size() == 1);
    CHECK(time.found->beside[0].unit == profile::CostUnit::instructions);
    CHECK(time.found->beside[0].rows.at(0).function == "sort");
    const auto memory = answer_of(steps, both(MetricKind::memory), {});
    REQUIRE(memory.found);
    CHECK(memory.found->unit == profile::CostUnit::operator_bytes);
    CHECK(memory.found->after == 1000);
    const auto held = answer_of(
        {operators(0, 1000, 300), operators(1, 1000, 900), step(2, 1000), step(3, 1500)},
        both(MetricKind::memory),
        {});
    REQUIRE(held.found);
    CHECK(held.found->unit == profile::CostUnit::operator_peak_bytes);
    CHECK(held.found->rows.at(0).after == 900);
    ProfiledStep old{1, Outcome::failed, "it printed no operators", 1, ""};
    const auto one = answer_of(
        {operators(0, 1000), old, step(2, 1000), step(3, 1500)}, both(MetricKind::time), {});
    REQUIRE(one.found);
    CHECK(one.found->unit == profile::CostUnit::instructions);
    CHECK_THAT(one.found->notes.back(), Contains("printed no operators"));
    CHECK(one.why_none.empty());
}

TEST_CASE("Time and memory of one culprit are told beside each other", "[service][watch]") {
    const std::vector<ProfiledBy> both{
        {Profiler::callgrind, MetricKind::time, 0.5}, {Profiler::dhat, MetricKind::memory, 2}};
    const auto got = answer_of(
        {step(0, 1000), step(1, 1500), memory_step(2, 1000), memory_step(3, 3000)}, both, {});
    REQUIRE(got.found);
    CHECK(got.found->unit == profile::CostUnit::instructions);
    CHECK(got.found->notes.empty());  // each is held against what was measured of its kind
    REQUIRE(got.found->beside.size() == 1);
    CHECK(got.found->beside[0].unit == profile::CostUnit::peak_bytes);
    CHECK(got.found->beside[0].rows.at(0).function == "fill");
    const auto shrunk = answer_of(
        {step(0, 1000), step(1, 1500), memory_step(2, 3000), memory_step(3, 1000)}, both, {});
    REQUIRE(shrunk.found->beside.size() == 1);
    CHECK(shrunk.found->notes.empty());
    CHECK_THAT(shrunk.found->beside[0].notes.back(), Contains("disagrees") && Contains("200"));
}

TEST_CASE("Samples stand in where callgrind tells nothing, and only there", "[service][watch]") {
    const std::vector<ProfiledBy> both{
        {Profiler::callgrind, MetricKind::time, 0.5}, {Profiler::perf, MetricKind::time, 0.5}};
    const auto told = answer_of(
        {step(0, 1000), step(1, 1500), sampled_step(2, 1000), sampled_step(3, 1500)}, both, {});
    REQUIRE(told.found);
    CHECK(told.found->unit == profile::CostUnit::instructions);
    CHECK(told.found->beside.empty());
    const auto open = answer_of(
        {step(0, 1000), step(1, 1000), sampled_step(2, 1000), sampled_step(3, 1500)}, both, {});
    REQUIRE(open.found);
    CHECK(open.found->unit == profile::CostUnit::samples);
    CHECK(open.found->rows.at(0).function == "wait");
    REQUIRE(open.found->beside.size() == 1);
    CHECK_THAT(open.found->beside[0].words, Contains("as many instructions as before"));
    ProfiledStep late{1, Outcome::timeout, "it did not end within 10 min", 1, ""};
    const auto none =
        answer_of({step(0, 1000), late, sampled_step(2, 1000), sampled_step(3, 1500)}, both, {});
    REQUIRE(none.found);
    CHECK(none.found->unit == profile::CostUnit::samples);
    CHECK_THAT(none.found->notes.back(), Contains("did not end within 10 min"));
    const auto beside_operators = answer_of(
        {operators(0, 1000), operators(1, 2000), sampled_step(2, 1000), sampled_step(3, 1500)},
        {{Profiler::operators, MetricKind::time, 0.5}, {Profiler::perf, MetricKind::time, 0.5}},
        {});
    REQUIRE(beside_operators.found);
    CHECK(beside_operators.found->unit == profile::CostUnit::operator_ns);
    REQUIRE(beside_operators.found->beside.size() == 1);
    CHECK(beside_operators.found->beside[0].unit == profile::CostUnit::samples);
    // The same without perf on the worker.
    const auto lacking = answer({step(0, 1000), late}, 0.5, {});
    CHECK_THAT(lacking.why_none, Contains("apt-get install linux-perf"));
    const auto known = answer({step(0, 1000), step(1, 1500)}, 0.5, {});
    CHECK(known.found->notes.empty());
}
