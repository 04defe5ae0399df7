#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "service/store/findings/bisection_records.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

// Nightlies that do not build.

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

constexpr int commits = 70;

// Builds that halving takes, and the second try of the answer.
const int enough = static_cast<int>(std::ceil(std::log2(commits))) + 1;

World broken_from(int culprit, unsigned seed = 1) {
    World world{.seed = seed, .commits = commits + 10, .variants = {"infer", "train"}};
    for (int commit = culprit; commit <= world.commits; ++commit) world.broken.insert(commit);
    return world;
}

service::BisectionConclusion conclusion(Fleet& fleet) {
    return fleet.db()
        .find<service::BisectionConclusion>(
            "SELECT conclusion FROM bisection WHERE kind = 'build' AND state = 'done' "
            "ORDER BY id DESC")
        .value_or(service::BisectionConclusion{});
}

// The commit that the newest search named; 0: none.
int breaking(Fleet& fleet) {
    const auto found = conclusion(fleet);
    if (found.endings.empty()) return 0;
    const auto& ending = found.endings.front();
    return ending.ending == search::Ending::culprit ? ending.first : 0;
}

int builds_requested(Fleet& fleet) {
    return fleet.count("job", "purpose = 'probe'");
}

}  // namespace

TEST_CASE("A nightly that does not build is searched by builds alone", "[scenario]") {
    const int culprit = GENERATE(1, 2, 23, 37, 69, 70);
    CAPTURE(culprit);
    const test::ScratchFolder folder;
    Fleet fleet(broken_from(culprit), folder / "ledger");
    fleet.night(0);
    const int runs = fleet.count("run");
    fleet.night(commits);
    CHECK(breaking(fleet) == culprit);
    CHECK(builds_requested(fleet) <= enough);
    CHECK(fleet.count("run") == runs);
    CHECK(fleet.count("nightly", "state = 'failed'") == 1);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("bisection", "log_tail LIKE '%does not compile%'") == 1);
    CHECK(fleet.count("product", "failures > 2") == 0);
}

TEST_CASE("A nightly of many benchmarks that does not build is tried twice only", "[scenario]") {
    const test::ScratchFolder folder;
    World world = broken_from(37);
    world.variants.clear();
    for (int v = 0; v < 25; ++v) world.variants.push_back("v" + std::to_string(v));
    Fleet fleet(world, folder / "ledger");
    fleet.night(0);
    fleet.night(commits);
    CHECK(fleet.count("product", "failures > 2") == 0);
    CHECK(fleet.count("job", "state = 'failed' AND message = 'its build failed 2 times'") == 23);
    CHECK(breaking(fleet) == 37);
    CHECK(builds_requested(fleet) <= enough);
}

TEST_CASE("A nightly that one machine class cannot build is measured on the other", "[scenario]") {
    const test::ScratchFolder folder;
    World world{.seed = 3, .commits = commits, .variants = {"infer", "train"}};
    world.machine_classes = {"fast", "wide"};
    world.broken_on = {{"wide", 37}};
    Fleet fleet(world, folder / "ledger");
    fleet.night(0);
    fleet.night(commits);
    CHECK(fleet.count("nightly", "state = 'done'") == 2);
    CHECK(fleet.count("bisection") == 0);
    CHECK(
        fleet.count(
            "job",
            "nightly_id = 2 AND state = 'done' AND machine_class_id = (SELECT id FROM "
            "machine_class WHERE name = 'fast')") == 2);
}

TEST_CASE("A build is not asked for again while it is under way", "[scenario]") {
    const test::ScratchFolder folder;
    World world = broken_from(23);
    world.lost_share = 0.3;
    Fleet fleet(world, folder / "ledger");
    fleet.night(0);
    int steps = 0;
    fleet.kill = [&] {  // after every step; nothing is killed here
        ++steps;
        REQUIRE(fleet.count("probe", "state = 'open'") <= 1);
        return false;
    };
    fleet.night(commits);
    CHECK(steps > enough);
    CHECK(breaking(fleet) == 23);
    CHECK(builds_requested(fleet) <= enough);
    CHECK(fleet.count("attempt", "outcome = 'lost'") > 0);
}

TEST_CASE("A build that fails for no reason is tried again before it is blamed", "[scenario]") {
    const test::ScratchFolder folder;
    World world = broken_from(52);
    world.flaky = {{35, 1}, {43, 1}, {51, 1}};
    Fleet fleet(world, folder / "ledger");
    fleet.night(0);
    fleet.night(commits);
    CHECK(breaking(fleet) == 52);
    CHECK(builds_requested(fleet) <= 3 * enough);
}

TEST_CASE("A nightly whose build failed once is measured all the same", "[scenario]") {
    const int variants = GENERATE(1, 3);
    CAPTURE(variants);
    const test::ScratchFolder folder;
    World world{.seed = 2, .commits = commits, .variants = {}};
    for (int v = 0; v < variants; ++v) world.variants.push_back("v" + std::to_string(v));
    world.changes = {{.commit = 33, .variant = "v0", .time = 1.3}};
    world.flaky = {{commits, 1}};
    Fleet fleet(world, folder / "ledger");
    fleet.night(0);
    fleet.night(commits);
    CHECK(fleet.count("nightly", "state = 'done'") == 2);
    CHECK(fleet.count("bisection", "kind = 'build'") == 0);
    CHECK(
        fleet.count("job", "nightly_id = 2 AND purpose = 'nightly' AND state = 'done'") ==
        variants + 1);
    CHECK(
        fleet.count(
            "series",
            "id IN (SELECT m.series_id FROM measurement m JOIN run r ON r.id = m.run_id "
            "JOIN job j ON j.id = r.job_id WHERE j.nightly_id = 2)") == 2 * variants);
    CHECK(fleet.count("event", "kind = 'nightly.again'") == 1);
    CHECK(fleet.culprits() == std::vector{fleet.revision(33)});
}

TEST_CASE("One failure on each of two toolchains is not two", "[scenario]") {
    const test::ScratchFolder folder;
    Fleet fleet(broken_from(52), folder / "ledger");
    fleet.night(0);
    // Halving comes to commit 35 first.
    fleet.db().execute(
        "INSERT INTO build(project_id, revision, input_kind, input_digest, created_at_s) "
        "SELECT project_id, ?1, 'source_tree', input_digest, created_at_s FROM build LIMIT 1",
        fleet.revision(35));
    for (const auto* toolchain : {"toolchain", "another"}) {
        fleet.db().execute(
            "INSERT INTO product(build_id, recipe_digest, toolchain, state, failures, duration_ns, "
            "created_at_s) SELECT b.id, p.recipe_digest, ?2, 'failed', 1, 1, 1 FROM build b, "
            "product p WHERE b.revision = ?1 AND p.state = 'built' LIMIT 1",
            fleet.revision(35),
            std::string(toolchain));
    }
    fleet.night(commits);
    CHECK(breaking(fleet) == 52);
}

TEST_CASE("The night after what is known of the broken build is not built again", "[scenario]") {
    const test::ScratchFolder folder;
    Fleet fleet(broken_from(37), folder / "ledger");
    fleet.night(0);
    fleet.night(commits);
    const int asked = builds_requested(fleet);
    fleet.night(commits + 5);
    CHECK(breaking(fleet) == 37);
    CHECK(builds_requested(fleet) == asked);
    CHECK(fleet.count("bisection", "kind = 'build' AND state = 'done'") == 2);
}

TEST_CASE("Without an earlier nightly that was built there is nothing to search", "[scenario]") {
    const test::ScratchFolder folder;
    Fleet fleet(broken_from(0), folder / "ledger");
    fleet.night(0);
    fleet.night(commits);
    CHECK(fleet.count("nightly", "state = 'failed'") == 2);
    CHECK(fleet.count("bisection") == 0);
}

TEST_CASE("A search of builds that nobody makes ends, and says why", "[scenario]") {
    const test::ScratchFolder folder;
    Fleet fleet(broken_from(37), folder / "ledger");
    fleet.night(0);
    bool gone = false;
    fleet.kill = [&] {  // the workers go once the search has begun
        if (!gone && fleet.count("probe") > 0) {
            gone = true;
            for (const auto& [name, worker] : fleet.config().workers) fleet.stop(name);
        }
        return false;
    };
    fleet.night(commits);
    CHECK(gone);
    CHECK(fleet.count("bisection", "kind = 'build' AND state = 'failed'") == 1);
    CHECK(fleet.count("bisection", "conclusion LIKE '%without saying whether they work%'") == 1);
}

TEST_CASE("Kills at any step change nothing about the commit that is named", "[scenario]") {
    const auto seed = GENERATE(41u, 42u, 43u);
    CAPTURE(seed);
    const test::ScratchFolder folder;
    World world = broken_from(static_cast<int>(seed), seed);
    world.lost_share = 0.2;
    Fleet fleet(world, folder / "ledger");
    std::mt19937 random(seed);
    fleet.kill = [&] { return std::uniform_int_distribution<int>(0, 2)(random) == 0; };
    fleet.night(0);
    fleet.night(commits);
    CHECK(fleet.kills() > 10);
    CHECK(breaking(fleet) == static_cast<int>(seed));
    CHECK(builds_requested(fleet) <= enough);
}

TEST_CASE("A nightly that does not build is one trouble until one builds", "[scenario]") {
    const test::ScratchFolder folder;
    World world{.seed = 41};
    world.broken = {20, 21, 22};
    Fleet fleet(world, folder / "ledger");
    const std::string open = "kind = 'nightly.unbuildable' AND ended_s IS NULL";
    fleet.night(0);
    CHECK(fleet.count("trouble") == 0);
    fleet.night(20);
    fleet.night(21);
    CHECK(fleet.count("trouble", open) == 1);
    fleet.night(30);
    CHECK(fleet.count("trouble", open) == 0);
    CHECK(fleet.count("trouble", "kind = 'nightly.unbuildable'") == 1);
}

TEST_CASE("A night says what was not done", "[scenario]") {
    const test::ScratchFolder folder;
    World world{.seed = 42, .variants = {"infer", "train"}};
    Fleet fleet(world, folder / "ledger");
    fleet.night(0);
    fleet.kill = [&] {
        fleet.db().execute(
            "UPDATE job SET state = 'parked', message = 'lost 3 times' WHERE nightly_id = 2 "
            "AND state = 'queued' AND plan LIKE '%train%' AND purpose = 'nightly'");
        return false;
    };
    fleet.night(1);
    CHECK(
        fleet.count("nightly", "state = 'done' AND message = '1 job was parked: lost 3 times'") ==
        1);
    CHECK(
        fleet.count(
            "nightly",
            "id = 1 AND state = 'done' "
            "AND message = 'nothing was compared: no series has an earlier night'") == 1);
    fleet.night(2);
    CHECK(fleet.count("nightly", "state = 'done' AND message = ''") == 1);
}
