#include "service/store/findings/requests.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "service/watch/requested/requests.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

// What a person asks to be measured, with the real decisions and a fleet of invented machines.

using namespace vigil;
using namespace vigil::service;
using tests::Fleet;
using tests::World;

namespace {

World slower_from_23(unsigned seed) {
    return {.seed = seed, .changes = {{.commit = 23, .variant = "infer", .time = 1.2}}};
}

NewRequest asks(Fleet& fleet, RequestKind kind, int a, int b) {
    NewRequest wanted;
    wanted.kind = kind;
    wanted.a = fleet.revision(a);
    wanted.b = fleet.revision(b);
    wanted.asked.variants = {{"model", "infer", "fast"}};
    wanted.token = "somebody";
    return wanted;
}

std::string message(Fleet& fleet, RequestId request) {
    return fleet.db()
        .find<std::string>("SELECT message FROM request WHERE id = ?1", request)
        .value_or("");
}

RequestState state(Fleet& fleet, RequestId request) {
    return load_request(fleet.db(), request).state;
}

std::string verdict_of(Fleet& fleet, const std::string& metric) {
    return fleet.db()
        .find<std::string>(
            "SELECT v.verdict FROM request_verdict v JOIN series s ON s.id = v.series_id "
            "WHERE s.metric = ?1",
            metric)
        .value_or("none");
}

}  // namespace

TEST_CASE("Two builds are compared until it is decided", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    Fleet fleet(slower_from_23(seed), ":memory:");
    SECTION("a planted difference") {
        const auto id = fleet.request(asks(fleet, RequestKind::comparison, 10, 30));
        CHECK(state(fleet, id) == RequestState::done);
        CHECK(verdict_of(fleet, "cpu_time_ns") == "regression");
        CHECK(verdict_of(fleet, "peak_process_bytes") == "noise");
        CHECK(message(fleet, id) == "1 worse; 1 the same");
    }
    SECTION("none") {
        const auto id = fleet.request(asks(fleet, RequestKind::comparison, 30, 40));
        CHECK(state(fleet, id) == RequestState::done);
        CHECK(message(fleet, id) == "2 the same");
        CHECK(fleet.count("run") < 40);
    }
    CHECK(fleet.count("job", "purpose <> 'request' OR priority <> 20 OR nightly_id > 0") == 0);
    CHECK(fleet.count("job", "state <> 'done'") == 0);
    CHECK(fleet.count("session", "state = 'open'") == 0);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("As many runs are made as were asked for", "[scenario]") {
    Fleet fleet(slower_from_23(4), ":memory:");
    auto wanted = asks(fleet, RequestKind::comparison, 10, 30);
    wanted.asked.runs = 16;
    wanted.asked.metric = Metric::cpu_time_ns;
    CHECK(state(fleet, fleet.request(wanted)) == RequestState::done);
    CHECK(fleet.count("run") == 32);
    CHECK(fleet.count("request_verdict") == 1);
    auto run = asks(fleet, RequestKind::run, 5, 5);
    run.asked.runs = 7;
    const auto id = fleet.request(run);
    CHECK(state(fleet, id) == RequestState::done);
    CHECK(message(fleet, id) == "7 of 7 runs passed");
    CHECK(fleet.count("run") == 39);
}

TEST_CASE("What cannot be measured is told and holds nobody", "[scenario]") {
    World world = slower_from_23(5);
    world.broken = {30};
    Fleet fleet(world, ":memory:");
    const auto check = [&](RequestId id, const std::string& why) {
        CHECK(state(fleet, id) == RequestState::failed);
        CHECK_THAT(message(fleet, id), Catch::Contains(why));
    };
    check(
        fleet.request(asks(fleet, RequestKind::comparison, 10, 30)),
        "was not built: it does not compile");
    auto run = asks(fleet, RequestKind::run, 30, 30);
    run.asked.runs = 2;
    check(fleet.request(run), "was not built: it does not compile");
    auto unknown = asks(fleet, RequestKind::comparison, 10, 20);
    unknown.b = "no-such-name";
    check(fleet.request(unknown), "there is no \"no-such-name\"");
    check(fleet.request(asks(fleet, RequestKind::comparison, 10, 10)), "nothing to compare");
    fleet.night(0);
    CHECK(fleet.count("nightly", "state = 'done'") == 1);
}

TEST_CASE("A search that was asked for names the planted commit and files nothing", "[scenario]") {
    const auto seed = GENERATE(11u, 12u, 13u);
    CAPTURE(seed);
    const bool better = GENERATE(false, true);
    CAPTURE(better);
    World world = slower_from_23(seed);
    if (better) world.changes.front().time = 1 / 1.2;
    Fleet fleet(world, ":memory:");
    fleet.night(0);
    auto wanted = asks(fleet, RequestKind::bisection, 5, 60);
    wanted.asked.metric = Metric::cpu_time_ns;
    const auto id = fleet.request(wanted);
    CHECK(state(fleet, id) == RequestState::done);
    CHECK_THAT(message(fleet, id), Catch::StartsWith("commit " + fleet.revision(23)));
    CHECK_THAT(message(fleet, id), Catch::Contains(better ? "parent: -1" : "parent: +"));
    CHECK(fleet.count("bisection", "kind = 'asked' AND state = 'done'") == 1);
    CHECK(fleet.count("job", "purpose IN ('probe', 'verify') AND priority <> 20") == 0);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("report", "kind = 'regression'") == 0);
    CHECK(fleet.count("nightly", "state = 'done'") == 1);
    fleet.night(1);
    CHECK(fleet.count("suspicion") == 0);
}

TEST_CASE("A search that was asked for goes inside of the merge that it finds", "[scenario]") {
    const auto seed = GENERATE(51u, 52u);
    CAPTURE(seed);
    World world = slower_from_23(seed);
    world.branches = {{23, 12, {101, 102, 103, 104, 105, 106, 107, 108}}};
    world.changes.front().commit = 105;
    Fleet fleet(world, ":memory:");
    auto wanted = asks(fleet, RequestKind::bisection, 5, 60);
    wanted.asked.metric = Metric::cpu_time_ns;
    const auto id = fleet.request(wanted);
    INFO(message(fleet, id));
    CHECK(state(fleet, id) == RequestState::done);
    CHECK_THAT(message(fleet, id), Catch::StartsWith("commit " + fleet.revision(105)));
    CHECK_THAT(
        message(fleet, id),
        Catch::Contains("came in by the merge " + fleet.revision(23).substr(0, 10)));
    CHECK(fleet.count("bisection", "kind = 'asked' AND state = 'done'") == 2);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("A search that was asked for goes on in the dependency that moved", "[scenario]") {
    const auto seed = GENERATE(61u, 62u);
    CAPTURE(seed);
    World world = slower_from_23(seed);
    world.branches = {{23, 22, {101, 102, 103, 104, 105, 106, 107}}};
    world.moves = {23};
    world.changes.front().commit = 104;
    Fleet fleet(world, ":memory:");
    auto wanted = asks(fleet, RequestKind::bisection, 5, 60);
    wanted.asked.metric = Metric::cpu_time_ns;
    const auto id = fleet.request(wanted);
    INFO(message(fleet, id));
    CHECK(state(fleet, id) == RequestState::done);
    CHECK_THAT(message(fleet, id), Catch::StartsWith("commit " + fleet.revision(23)));
    CHECK_THAT(
        message(fleet, id),
        Catch::EndsWith(
            "; searched among the commits by which it moves lib: it is commit " +
            fleet.revision(104).substr(0, 10) + " there"));
    CHECK(fleet.count("bisection", "kind = 'asked' AND state = 'done'") == 2);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("Where the ends do not differ nothing is searched", "[scenario]") {
    Fleet fleet(slower_from_23(14), ":memory:");
    auto wanted = asks(fleet, RequestKind::bisection, 30, 60);
    wanted.asked.metric = Metric::cpu_time_ns;
    const auto id = fleet.request(wanted);
    CHECK(state(fleet, id) == RequestState::done);
    CHECK_THAT(message(fleet, id), Catch::StartsWith("not searched: "));
    CHECK(fleet.count("bisection") == 0);
}

TEST_CASE("Kills at any step change nothing about what is asked for", "[scenario]") {
    const auto seed = GENERATE(21u, 22u);
    const test::ScratchFolder folder;
    std::mt19937 dice(seed);
    Fleet fleet(slower_from_23(seed), (folder.path() / "ledger.sqlite").string());
    fleet.kill = [&] { return dice() % 4 == 0; };
    auto wanted = asks(fleet, RequestKind::bisection, 5, 60);
    wanted.asked.metric = Metric::cpu_time_ns;
    const auto id = fleet.request(wanted);
    CHECK(fleet.kills() > 10);
    CHECK(state(fleet, id) == RequestState::done);
    CHECK_THAT(message(fleet, id), Catch::StartsWith("commit " + fleet.revision(23)));
}

TEST_CASE("What was asked for is cancelled with all its work", "[scenario]") {
    const bool searching = GENERATE(false, true);
    CAPTURE(searching);
    Fleet fleet(slower_from_23(31), ":memory:");
    fleet.kill = [&, was = false]() mutable {
        const auto* now = searching ? "state = 'searching'" : "state = 'measuring'";
        const auto* job = searching ? "probe_id > 0" : "session_id > 0";
        if (was || fleet.count("request", now) == 0 || fleet.count("job", job) == 0) return false;
        was = true;
        end_request(fleet.db(), RequestId{1}, RequestState::cancelled, "cancelled", fleet.now_s());
        return false;
    };
    auto wanted = asks(fleet, RequestKind::bisection, 5, 60);
    wanted.asked.metric = Metric::cpu_time_ns;
    const auto id = fleet.request(wanted);
    CHECK(state(fleet, id) == RequestState::cancelled);
    CHECK(fleet.count("job", "state = 'cancelled'") > 0);
    CHECK(fleet.count("job", "state IN ('queued', 'leased')") == 0);
    CHECK(fleet.count("session", "state = 'open'") == 0);
    CHECK(fleet.count("bisection", "state NOT IN ('done', 'failed')") == 0);
    CHECK_THROWS_AS(
        end_request(fleet.db(), id, RequestState::cancelled, "again", fleet.now_s()), Error);
}

TEST_CASE("A request whose step ends the daemon again and again fails", "[scenario]") {
    Fleet fleet(slower_from_23(41), ":memory:");
    int tries = 0;
    fleet.kill = [&] {
        if (fleet.count("request", "state = 'measuring'") == 0) return false;
        while (begin_try(fleet.db(), RequestId{1}, fleet.now_s())) ++tries;
        return false;
    };
    const auto id = fleet.request(asks(fleet, RequestKind::comparison, 10, 30));
    CHECK(tries == 5);
    CHECK(state(fleet, id) == RequestState::failed);
    CHECK(message(fleet, id) == "the daemon ended during its step (5 tries)");
    fleet.kill = [] { return false; };
    auto other = asks(fleet, RequestKind::comparison, 10, 30);
    CHECK(state(fleet, fleet.request(other)) == RequestState::done);
}
