// Why a verified culprit is slower: what the daemon asks for, and when.

#include "service/watch/search/why.hpp"

#include <catch2/catch.hpp>

#include "schema/profile/profile_json.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/findings/whys.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/work/profiled_steps.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/other_regressions.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using tests::Fleet;
using tests::World;

namespace {

constexpr int slow_from = 27;
const RegressionId first{1};

World slower() {
    World world{.seed = 1, .commits = 40};
    world.changes = {{.commit = slow_from, .variant = "infer", .time = 1.2}};
    return world;
}

void play(Fleet& fleet) {
    fleet.night(0);
    fleet.night(40);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(slow_from)});
    REQUIRE(find_why(fleet.db(), first)->state == WhyState::listing);
}

void let_profile(Fleet& fleet, const std::string& by = "callgrind") {
    fleet.db().execute(
        "UPDATE worker SET fingerprint = json_set(fingerprint, '$.labels', "
        "json_object('vigil.profiler', ?1))",
        by);
}

void advance(Fleet& fleet) {
    Transaction transaction(fleet.db());
    advance_whys(fleet.db(), fleet.config(), fleet.now_s());
    transaction.commit();
}

int profiles(Fleet& fleet) {
    return fleet.count("job", "json_extract(plan, '$.benchmarks[0].profiled')");
}

RunOutcome profiled(
    int step, std::int64_t cost, profile::CostUnit unit = profile::CostUnit::instructions) {
    profile::Profile profile;
    profile.unit = unit;
    profile.total = cost;
    profile.functions.push_back({"sort", "src/sort.cpp", cost, 1, true, {}, {}});
    RunOutcome run;
    run.step = step;
    run.outcome = Outcome::passed;
    run.profile = profile::profile_text(profile, 10'000);
    return run;
}

std::string its_report(Fleet& fleet) {
    return render_regression(load_regression_facts(fleet.db(), first, fleet.config())).body;
}

}  // namespace

TEST_CASE("Culprit and parent are one job of the worker that verified it", "[scenario]") {
    Fleet fleet(slower(), ":memory:");
    play(fleet);
    let_profile(fleet);
    CHECK_THAT(its_report(fleet), Contains("then this report is completed"));
    advance(fleet);
    CHECK(profiles(fleet) == 0);  // the files are not listed yet
    note_touched(fleet.db(), first, {"src/sort.cpp"});
    advance(fleet);
    advance(fleet);
    REQUIRE(profiles(fleet) == 1);
    const auto why = find_why(fleet.db(), first).value();
    CHECK(why.state == WhyState::profiling);
    CHECK(
        fleet.count(
            "job",
            "priority = 3 AND nightly_id IS NULL AND only_worker_id = (SELECT "
            "worker_id FROM job v WHERE v.purpose = 'verify' AND v.state = "
            "'done' ORDER BY v.id DESC LIMIT 1)") == 1);
    CHECK(
        fleet.db().find<std::string>(
            "SELECT group_concat(revision, ' ') FROM (SELECT b.revision FROM job_build jb "
            "JOIN build b ON b.id = jb.build_id WHERE jb.job_id = ?1 ORDER BY jb.position)",
            *why.job) == fleet.revision(slow_from - 1) + " " + fleet.revision(slow_from));
    add_profiled_step(fleet.db(), *why.job, profiled(0, 1000));
    add_profiled_step(fleet.db(), *why.job, profiled(1, 1200));
    fleet.db().execute("UPDATE job SET state = 'done' WHERE id = ?1", *why.job);
    advance(fleet);
    CHECK(find_why(fleet.db(), first)->state == WhyState::done);
    CHECK(fleet.count("profiled_step") == 0);
    CHECK_THAT(
        its_report(fleet), Contains("| `sort` | `src/sort.cpp`, **changed by the culprit**"));
    CHECK_FALSE(ask_why_of(fleet.db(), first, fleet.now_s()));  // once for each culprit
}

TEST_CASE("Where time and memory got worse, both are profiled by one job", "[scenario]") {
    auto world = slower();
    world.changes[0].memory = 1.5;
    Fleet fleet(world, ":memory:");
    play(fleet);
    let_profile(fleet, "callgrind dhat");
    note_touched(fleet.db(), first, {"src/sort.cpp"});
    advance(fleet);
    const auto why = find_why(fleet.db(), first).value();
    REQUIRE(why.job);
    const auto plan = load_plan(fleet.db(), *why.job);
    REQUIRE(plan.benchmarks.size() == 2);
    CHECK(plan.benchmarks[0].profiler == Profiler::callgrind);
    CHECK(plan.benchmarks[1].profiler == Profiler::dhat);
    CHECK(plan.steps == std::vector<Step>{{0, 0}, {1, 0}, {0, 1}, {1, 1}});
    add_profiled_step(fleet.db(), *why.job, profiled(0, 1000));
    add_profiled_step(fleet.db(), *why.job, profiled(1, 1200));
    add_profiled_step(fleet.db(), *why.job, profiled(2, 1000, profile::CostUnit::peak_bytes));
    add_profiled_step(fleet.db(), *why.job, profiled(3, 1500, profile::CostUnit::peak_bytes));
    fleet.db().execute("UPDATE job SET state = 'done' WHERE id = ?1", *why.job);
    advance(fleet);
    const auto report = its_report(fleet);
    CHECK_THAT(report, Contains("### Why it is slower") && !Contains("disagrees"));
    CHECK_THAT(report, Contains("### Why it takes more memory"));
}

TEST_CASE("A worker that cannot profile gets no job, and the report says so", "[scenario]") {
    Fleet fleet(slower(), ":memory:");
    play(fleet);
    note_touched(fleet.db(), first, {});
    advance(fleet);
    CHECK(profiles(fleet) == 0);
    CHECK(find_why(fleet.db(), first)->state == WhyState::done);
    CHECK_THAT(its_report(fleet), Contains("Not known: worker") && Contains("has no valgrind"));
}

TEST_CASE("Profiles are off, or have a budget a day that a person may pass", "[scenario]") {
    Fleet fleet(slower(), ":memory:");
    play(fleet);
    let_profile(fleet);
    note_touched(fleet.db(), first, {});
    auto& rules = fleet.config().projects.begin()->second.why;
    SECTION("off") {
        rules.profiles_per_day = 0;
        advance(fleet);
        CHECK_FALSE(find_why(fleet.db(), first));
        CHECK_THROWS_AS(ask_why_by_hand(fleet.db(), fleet.config(), first, fleet.now_s()), Error);
    }
    SECTION("spent") {
        rules.profiles_per_day = 1;
        fleet.db().execute("UPDATE why SET begun_at_s = ?1", fleet.now_s());
        advance(fleet);
        CHECK(find_why(fleet.db(), first)->state == WhyState::waiting);
        fleet.db().execute("UPDATE why SET by_hand = 1");
        advance(fleet);
        CHECK(profiles(fleet) == 1);
    }
    SECTION("asked again while it goes on") {
        CHECK_THROWS_AS(ask_why_by_hand(fleet.db(), fleet.config(), first, fleet.now_s()), Error);
    }
}

TEST_CASE("What is measured waits for no profile, and that is asked for once more", "[scenario]") {
    Fleet fleet(slower(), ":memory:");
    play(fleet);
    let_profile(fleet);
    note_touched(fleet.db(), first, {});
    advance(fleet);
    const auto begin_profile = [&] {
        const auto job = find_why(fleet.db(), first)->job.value();
        const auto worker = find_only_worker(fleet.db(), job);
        fleet.db().execute("UPDATE worker SET state = 'active' WHERE id = ?1", worker);
        const auto lease = claim_job(fleet.db(), fleet.config(), worker, fleet.now_s());
        REQUIRE(lease);
        REQUIRE(lease->job == job);
        return job;
    };
    const auto profiled = begin_profile();
    advance(fleet);
    CHECK(find_why(fleet.db(), first)->job == profiled);  // nothing else waits
    // Something that the worker may measure.
    NewJob measured;
    measured.project = load_job(fleet.db(), profiled).project;
    measured.machine_class = load_job(fleet.db(), profiled).machine_class;
    measured.priority = Priority::request;
    measured.builds = list_job_builds(fleet.db(), profiled);
    measured.plan = load_plan(fleet.db(), profiled);
    measured.plan.benchmarks.front().profiled = false;
    measured.only_worker = find_only_worker(fleet.db(), profiled);
    const auto waiting = add_job(fleet.db(), measured, fleet.now_s());
    advance(fleet);
    CHECK(find_why(fleet.db(), first)->job == profiled);  // another worker may be quicker
    const auto make_it_wait = [&](JobId job) {
        fleet.db().execute("UPDATE job SET created_at_s = created_at_s - 10 WHERE id = ?1", job);
    };
    make_it_wait(waiting);
    advance(fleet);
    CHECK(load_job(fleet.db(), profiled).state == JobState::cancelled);
    const auto interrupted = find_why(fleet.db(), first).value();
    CHECK(interrupted.state == WhyState::waiting);
    CHECK(interrupted.interruptions == 1);
    // The next one comes behind it.
    advance(fleet);
    const auto next =
        claim_job(fleet.db(), fleet.config(), measured.only_worker.value(), fleet.now_s());
    REQUIRE(next);
    CHECK(next->job == waiting);
    fleet.db().execute("UPDATE job SET state = 'done' WHERE id = ?1", waiting);
    const auto again = begin_profile();
    CHECK(again != profiled);
    make_it_wait(add_job(fleet.db(), measured, fleet.now_s()));
    advance(fleet);
    CHECK(load_job(fleet.db(), again).state == JobState::cancelled);
    const auto given_up = find_why(fleet.db(), first).value();
    CHECK(given_up.state == WhyState::done);
    CHECK_THAT(given_up.message, Contains("each of the 2 times") && Contains("regression why 1"));
}

TEST_CASE("A profile whose worker is gone for days is given up, with the reason", "[scenario]") {
    Fleet fleet(slower(), ":memory:");
    play(fleet);
    let_profile(fleet);
    note_touched(fleet.db(), first, {});
    advance(fleet);
    constexpr std::int64_t two_days_s = 2 * 86'400;
    const auto begin_s = fleet.now_s();
    fleet.db().execute("UPDATE worker SET last_seen_at_s = ?1", begin_s + two_days_s);
    cancel_unclaimed(fleet.db(), fleet.config(), begin_s);
    cancel_unclaimed(fleet.db(), fleet.config(), begin_s + two_days_s);
    advance(fleet);
    CHECK(find_why(fleet.db(), first)->state == WhyState::profiling);  // it is there, and busy
    fleet.db().execute("UPDATE worker SET last_seen_at_s = ?1", begin_s);
    cancel_unclaimed(fleet.db(), fleet.config(), begin_s + two_days_s);
    advance(fleet);
    const auto why = find_why(fleet.db(), first).value();
    CHECK(why.state == WhyState::done);
    CHECK_THAT(why.message, Contains("which alone may do it, is not there"));
}

TEST_CASE("What waits keeps no other project's profile from its turn", "[scenario]") {
    Fleet fleet(slower(), ":memory:");
    play(fleet);
    let_profile(fleet);
    note_touched(fleet.db(), first, {});
    tests::add_regressions_of_another(fleet.db(), first, 30);
    fleet.db().execute(
        "INSERT INTO why(regression_id, state, culprit, by_hand, created_at_s) "
        "SELECT id, 'waiting', culprit, 0, 0 FROM regression WHERE id < 0");
    advance(fleet);
    CHECK(find_why(fleet.db(), first)->state == WhyState::profiling);
    // Nor what waits for tomorrow's budget what a person asked for.
    fleet.db().execute(
        "UPDATE why SET state = 'waiting', job_id = NULL, by_hand = 1 WHERE "
        "regression_id = ?1",
        first);
    fleet.db().execute("UPDATE why SET begun_at_s = ?1", fleet.now_s());
    fleet.db().execute("UPDATE regression SET project_id = 1");
    fleet.config().projects.begin()->second.why.profiles_per_day = 1;
    advance(fleet);
    CHECK(find_why(fleet.db(), first)->state == WhyState::profiling);
    // Nor what was profiled waits for jobs that nobody has claimed.
    const auto job = find_why(fleet.db(), first)->job.value();
    NewJob queued;
    queued.project = load_job(fleet.db(), job).project;
    queued.machine_class = load_job(fleet.db(), job).machine_class;
    queued.builds = list_job_builds(fleet.db(), job);
    queued.plan = load_plan(fleet.db(), job);
    fleet.db().execute(
        "UPDATE why SET state = 'profiling', job_id = ?1 WHERE regression_id < 0",
        add_job(fleet.db(), queued, fleet.now_s()));
    fleet.db().execute("UPDATE why SET by_hand = 0");
    fleet.db().execute("UPDATE job SET state = 'done' WHERE id = ?1", job);
    advance(fleet);
    CHECK(find_why(fleet.db(), first)->state == WhyState::done);
}
