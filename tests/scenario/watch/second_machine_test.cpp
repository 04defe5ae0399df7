// A class of two machines: a culprit is named once the second one shows it too.

#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_regression.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

constexpr int slow_from = 27;

World slower_everywhere(unsigned seed) {
    World world{.seed = seed, .commits = 40};
    world.changes = {{.commit = slow_from, .variant = "infer", .time = 1.2}};
    return world;
}

void play_both(Fleet& fleet) {
    fleet.night(0);
    fleet.night(40);
}

std::string its_reason(Fleet& fleet) {
    return fleet.db().find<std::string>("SELECT reason FROM regression").value();
}

std::string its_report(Fleet& fleet) {
    return service::render_regression(
               service::load_regression_facts(fleet.db(), RegressionId{1}, fleet.config()))
        .body;
}

/// Jobs that one worker must not take.
int repeats(Fleet& fleet, const std::string& condition = "1") {
    return fleet.count("job", "except_worker_id IS NOT NULL AND " + condition);
}

std::string its_machines(Fleet& fleet) {
    return fleet.db()
        .find<std::string>(
            "SELECT ifnull(json_extract(conclusion, '$.endings[0].machines'), '') FROM bisection")
        .value();
}

bool says_so(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void check_two_machines(Fleet& fleet) {
    CHECK(fleet.culprits() == std::vector{fleet.revision(slow_from)});
    CHECK(says_so(its_reason(fleet), "verified on two machines (fast-"));
    CHECK(says_so(its_machines(fleet), "\"fast-1\""));
    CHECK(says_so(its_machines(fleet), "\"fast-2\""));
    CHECK(repeats(fleet, "state = 'done'") >= 1);
    CHECK(
        repeats(fleet, "state = 'done' AND worker_id <> except_worker_id") ==
        repeats(fleet, "state = 'done'"));
}

void check_one_machine(Fleet& fleet) {
    CHECK(fleet.culprits() == std::vector{fleet.revision(slow_from)});
    CHECK(says_so(its_reason(fleet), "verified on one machine (fast-1) against its parent: "));
    CHECK(says_so(its_report(fleet), "verified on one machine (fast-1) against its parent: "));
    CHECK(its_machines(fleet) == "[\"fast-1\"]");
    CHECK(repeats(fleet, "state = 'done'") == 0);
}

}  // namespace

TEST_CASE("A second machine repeats the verification before the report", "[scenario]") {
    Fleet fleet(slower_everywhere(GENERATE(1u, 2u, 3u)), ":memory:");
    play_both(fleet);
    check_two_machines(fleet);
    CHECK(says_so(its_report(fleet), "verified on two machines (fast-"));
    CHECK(fleet.count("bisection", "state = 'done'") == 1);
}

TEST_CASE("What one machine alone makes slower is no culprit", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    World world{.seed = seed, .commits = 40};
    world.changes = {{.commit = slow_from, .variant = "infer", .time = 1.2, .worker = "fast-1"}};
    Fleet fleet(world, ":memory:");
    play_both(fleet);
    REQUIRE(fleet.count("regression") == 1);
    CHECK(fleet.culprits().empty());
    CHECK(fleet.count("regression", "state IN ('range', 'reported')") == 1);
    CAPTURE(its_reason(fleet));
    CHECK(says_so(its_reason(fleet), "was verified on one machine only: +"));
    CHECK(says_so(its_report(fleet), " % on fast-1 ("));
    CHECK(says_so(its_report(fleet), " % on fast-2 ("));
    CHECK(its_machines(fleet).empty());
    CHECK(repeats(fleet, "state = 'done'") >= 1);
}

TEST_CASE("A second machine that is busy for 30 minutes is not waited for", "[scenario]") {
    Fleet fleet(slower_everywhere(1), ":memory:");
    fleet.busy = {"fast-2"};
    play_both(fleet);
    check_one_machine(fleet);
    CHECK(repeats(fleet) == 1);
    CHECK(
        repeats(
            fleet,
            "state = 'cancelled' AND message = 'no other machine of its class did it within 30 "
            "minutes' AND ended_at_s - created_at_s BETWEEN 1800 AND 7200") == 1);
    CHECK(
        fleet.count(
            "bisection",
            "state = 'done' AND ended_at_s >= 1800 + (SELECT created_at_s "
            "FROM job WHERE except_worker_id IS NOT NULL)") == 1);
}

TEST_CASE("A second machine that dies with the job is not waited for for ever", "[scenario]") {
    Fleet fleet(slower_everywhere(2), ":memory:");
    fleet.dying = {"fast-2"};
    play_both(fleet);
    check_one_machine(fleet);
    CHECK(repeats(fleet, "lost_attempts > 0 AND state IN ('parked', 'cancelled')") == 1);
    CHECK(repeats(fleet) == 1);
}

TEST_CASE("With one machine in the class there is no wait", "[scenario]") {
    Fleet fleet(slower_everywhere(1), ":memory:");
    fleet.stop("fast-2");
    play_both(fleet);
    CHECK(fleet.culprits() == std::vector{fleet.revision(slow_from)});
    CHECK(says_so(its_reason(fleet), "verified against its parent: "));
    CHECK(its_machines(fleet) == "[\"fast-1\"]");
    CHECK(repeats(fleet) == 0);
}

TEST_CASE("A kill before the second machine's answer changes nothing", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u, 4u);
    CAPTURE(seed);
    const test::ScratchFolder folder;
    Fleet fleet(slower_everywhere(seed), folder / "ledger");
    std::mt19937 random(seed);
    fleet.kill = [&] { return random() % 3 == 0; };
    play_both(fleet);
    REQUIRE(fleet.kills() > 10);
    check_two_machines(fleet);
    CHECK(fleet.count("probe", "state = 'open'") == 0);
    CHECK(fleet.count("probe") == fleet.count("job", "probe_id IS NOT NULL"));
}

TEST_CASE("A kill while a second machine is waited for changes nothing", "[scenario]") {
    const test::ScratchFolder folder;
    Fleet fleet(slower_everywhere(1), folder / "ledger");
    fleet.busy = {"fast-2"};
    std::mt19937 random(7);
    fleet.kill = [&] { return random() % 3 == 0; };
    play_both(fleet);
    REQUIRE(fleet.kills() > 10);
    check_one_machine(fleet);
    CHECK(repeats(fleet) == 1);
}
