#include "worker/run/together.hpp"

#include <optional>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/integration/worker/run/run_fixture.hpp"
#include "worker/run/turn_runner.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::make_runner;
using test::RunPlace;

namespace {

// Each waits for the other: one after the other they would never end. The lock is held until it was
// seen, however long that takes.
constexpr const char* wait_for_member_lock =
    "until ! flock -s -n $VIGIL_TURNS/member-1 true; do sleep 0.01; done; echo seen; "
    "exec 9<$VIGIL_TURNS/member-0; flock 9; "
    "until [ -e $VIGIL_TURNS/over-1 ]; do sleep 0.01; done; echo over";
constexpr const char* hold_member_lock =
    "exec 9<$VIGIL_TURNS/member-$VIGIL_TURNS_MEMBER; flock 9; "
    "until ! flock -s -n $VIGIL_TURNS/member-0 true; do sleep 0.01; done; "
    "echo $VIGIL_TURNS_MEMBER of $VIGIL_TURNS_MEMBERS";

std::vector<RunRequest> pair_of(const RunPlace& one, const RunPlace& two) {
    return {one.shell(wait_for_member_lock), two.shell(hold_member_lock)};
}

}  // namespace

TEST_CASE("A group runs at once and knows of each other by locks", "[worker][run]") {
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        const RunPlace one;
        const RunPlace two;
        auto runner = make_runner(mode);
        const auto reports =
            run_together(runner, pair_of(one, two), Sharing::turns, one.root.path() / "turns");
        REQUIRE(reports.size() == 2);
        CAPTURE(runner.sandboxed(), reports[0].message, reports[0].errors, reports[1].errors);
        CHECK(reports[0].output == "seen\nover\n");
        CHECK(reports[1].output == "1 of 2\n");
    }
}

TEST_CASE("A group that shares a machine lock takes it once", "[worker][run]") {
    const RunPlace one;
    const RunPlace two;
    auto inner = make_runner();
    TurnRunner runner(inner, one.root.path() / "lock");
    const auto reports =
        run_together(runner, pair_of(one, two), Sharing::turns, one.root.path() / "turns");
    CHECK(reports[0].output == "seen\nover\n");
    // Given back: another worker gets it at once.
    TurnRunner other(inner, one.root.path() / "lock");
    CHECK(other.run(one.shell("echo next")).output == "next\n");
}

TEST_CASE("A process of a group cannot write where the group meets", "[worker][run]") {
    const RunPlace one;
    const RunPlace two;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    const auto reports = run_together(
        runner,
        {one.shell("touch $VIGIL_TURNS/over-1 || rm $VIGIL_TURNS/turn || echo refused"),
         two.shell("echo there")},
        Sharing::turns,
        one.root.path() / "turns");
    CHECK(reports[0].output == "refused\n");
    CHECK(reports[1].output == "there\n");
}

TEST_CASE("Each of a group may take as long as all of it", "[worker][run]") {
    const RunPlace one;
    const RunPlace two;
    auto runner = make_runner();
    auto slow = one.shell("sleep 3.2; echo done");
    slow.limits.wall_time_s = 3;
    auto endless = two.shell("sleep 60");
    endless.limits.wall_time_s = 1;
    const auto reports =
        run_together(runner, {slow, endless}, Sharing::turns, one.root.path() / "turns");
    CHECK(reports[0].output == "done\n");
    CHECK(reports[1].end == RunEnd::timed_out);
}

TEST_CASE("A request of a group that makes no sense is an error, the rest ends", "[worker][run]") {
    const RunPlace one;
    const RunPlace two;
    auto runner = make_runner();
    CHECK_THROWS_AS(
        run_together(
            runner,
            {one.request({}), two.shell("echo there")},
            Sharing::turns,
            one.root.path() / "turns"),
        Error);
}

TEST_CASE(
    "Processes that share a processor run on one and the same, and know of no turns", "[worker]") {
    const RunPlace one;
    const RunPlace two;
    auto runner = make_runner();
    const std::string show =
        "grep Cpus_allowed_list /proc/self/status; echo turns=${VIGIL_TURNS:-none}";
    const auto reports = run_together(
        runner, {one.shell(show), two.shell(show)}, Sharing::processor, one.root.path() / "turns");
    CHECK(reports[0].output == reports[1].output);
    CHECK_THAT(reports[0].output, Catch::Contains("turns=none"));
    CHECK(reports[0].output.find_first_of(",-") == std::string::npos);  // one number
}

TEST_CASE("Processes at once each see their own folder at one path, and all else", "[worker]") {
    const RunPlace one;
    const RunPlace two;
    test::write_file(two.product / "data", "of another product\n");
    const auto path = one.root.path() / "path";
    std::filesystem::create_directories(path);
    std::optional<ProcessRunner> runner;
    try {
        runner.emplace(make_runner(SandboxMode::view));
    } catch (const Error& error) {
        WARN("not tested, " << error.what());
        SUCCEED();
        return;
    }
    CHECK_FALSE(runner->sandboxed());
    std::vector<RunRequest> requests;
    for (const auto* place : {&one, &two, &one}) {
        requests.push_back(place->shell(
            "pwd; cat data; test -e " + two.root.path().string() + " && echo all; id -u"));
        requests.back().folder_path = path.string();
    }
    const auto reports =
        run_together(*runner, requests, Sharing::processor, one.root.path() / "turns");
    const auto user = "all\n" + std::to_string(::geteuid()) + "\n";
    CHECK(reports[0].output == path.string() + "\nof the product\n" + user);
    CHECK(reports[1].output == path.string() + "\nof another product\n" + user);
    CHECK(reports[2].output == reports[0].output);
    CHECK(std::filesystem::is_empty(path));
    requests[0].folder_path = "/nowhere/at/all";
    CHECK_THROWS_AS(runner->run(requests[0]), Error);
}
