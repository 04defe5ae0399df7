#include "worker/run/turn_runner.hpp"

#include <atomic>
#include <cerrno>
#include <fstream>
#include <seccomp.h>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::worker;

namespace {

/// Counts how many runs are under way at once, over all runners that share the counters.
struct Counting : Runner {
    std::atomic<int>& now;
    std::atomic<int>& most;
    std::atomic<int> runs = 0;
    Counting(std::atomic<int>& running, std::atomic<int>& highest) : now(running), most(highest) {}

    RunReport run(const RunRequest&) override {
        const int together = ++now;
        for (int seen = most; seen < together && !most.compare_exchange_weak(seen, together);) {
        }
        for (int i = 0; i < 100; ++i) std::this_thread::yield();
        --now;
        ++runs;
        return {};
    }
    bool sandboxed() const override { return true; }
    std::map<std::string, std::string> facts() const override { return {{"sandbox", "none"}}; }
};

}  // namespace

TEST_CASE("Workers that share a machine lock never run at once", "[worker][run]") {
    const test::ScratchFolder folder;
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    const auto work = [&](int& done) {
        Counting inner(now, most);
        TurnRunner runner(inner, folder.path() / "turns");
        for (int i = 0; i < 20; ++i) runner.run({});
        done = inner.runs;
    };
    int first = 0;
    int second = 0;
    {
        std::thread one(work, std::ref(first));
        std::thread two(work, std::ref(second));
        one.join();
        two.join();
    }
    CHECK(most == 1);
    CHECK(first == 20);
    CHECK(second == 20);
}

TEST_CASE("Runs of one worker share its turn, another worker waits for the last", "[worker][run]") {
    const test::ScratchFolder folder;
    /// The first run waits until the second is there too.
    struct Meeting : Runner {
        std::atomic<int> now = 0;
        std::atomic<int> most = 0;
        RunReport run(const RunRequest&) override {
            most = std::max(most.load(), ++now);
            while (most < 2) std::this_thread::yield();
            --now;
            return {};
        }
        bool sandboxed() const override { return true; }
        std::map<std::string, std::string> facts() const override { return {}; }
    };
    Meeting inner;
    TurnRunner runner(inner, folder.path() / "turns");
    {
        const std::jthread other([&] { runner.run({}); });
        runner.run({});
    }
    CHECK(inner.most == 2);
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    Counting next(now, most);
    TurnRunner(next, folder.path() / "turns").run({});
    CHECK(next.runs == 1);
}

TEST_CASE("A stopped request does not wait for its turn", "[worker][run]") {
    const test::ScratchFolder folder;
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    Counting inner(now, most);
    struct Holding : Runner {
        Runner& second;
        explicit Holding(Runner& other) : second(other) {}
        RunReport run(const RunRequest&) override {
            const std::atomic<bool> stop = true;
            RunRequest request;
            request.stop = &stop;
            return second.run(request);
        }
        bool sandboxed() const override { return true; }
        std::map<std::string, std::string> facts() const override { return {}; }
    };
    TurnRunner waiting(inner, folder.path() / "turns");
    Holding holder(waiting);
    TurnRunner first(holder, folder.path() / "turns");
    first.run({});
    CHECK(inner.runs == 1);
}

TEST_CASE("A machine lock that cannot be opened is named", "[worker][run]") {
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    Counting inner(now, most);
    CHECK_THROWS_WITH(TurnRunner(inner, "/no/such/folder/turns"), Catch::Contains("machine_lock"));
}

namespace {

/// Runs until told to go on, and says that it runs.
struct Held : Runner {
    std::atomic<bool> began = false;
    std::atomic<bool> go_on = false;
    RunReport run(const RunRequest&) override {
        began = true;
        while (!go_on) std::this_thread::yield();
        return {};
    }
    bool sandboxed() const override { return true; }
    std::map<std::string, std::string> facts() const override { return {}; }
};

Neighbour neighbour(const std::string& name, const std::string& other, int core) {
    return {name, {other}, {core}, {}};
}

}  // namespace

TEST_CASE("Workers that name each other run at once, others wait for both", "[worker][run]") {
    const test::ScratchFolder folder;
    const auto lock = folder.path() / "turns";
    Held first;
    Held second;
    Held third;
    TurnRunner one(first, lock, neighbour("one", "two", 0));
    TurnRunner two(second, lock, neighbour("two", "one", 1));
    TurnRunner alone(third, lock);
    CHECK(one.facts().at("turns") != alone.facts().at("turns"));
    {
        const std::jthread a([&] { one.run({}); });
        const std::jthread b([&] { two.run({}); });
        while (!first.began || !second.began) std::this_thread::yield();
        first.go_on = true;
        CHECK_FALSE(Neighbours(lock, {}).others_rest());
        second.go_on = true;
    }
    CHECK(Neighbours(lock, {}).others_rest());
    // And they wait for the one that runs alone.
    const std::jthread c([&] { alone.run({}); });
    while (!third.began) std::this_thread::yield();
    struct Witness : Runner {
        const std::atomic<bool>& other_goes_on;
        bool was_over = false;
        explicit Witness(const std::atomic<bool>& flag) : other_goes_on(flag) {}
        RunReport run(const RunRequest&) override {
            was_over = other_goes_on;
            return {};
        }
        bool sandboxed() const override { return true; }
        std::map<std::string, std::string> facts() const override { return {}; }
    };
    Witness witness(third.go_on);
    TurnRunner later(witness, lock, neighbour("later", "one", 3));
    {
        const std::jthread d([&] { later.run({}); });
        third.go_on = true;
    }
    CHECK(witness.was_over);
}

TEST_CASE("Who is named by one side only takes turns", "[worker][run]") {
    const test::ScratchFolder folder;
    const auto lock = folder.path() / "turns";
    Neighbours one(lock, neighbour("one", "two", 0));
    Neighbours two(lock, neighbour("two", "three", 0));  // the same core, and yet no overlap
    CHECK(two.others_rest());
    one.begin_turn();
    CHECK_FALSE(two.others_rest());
    CHECK(one.others_rest());
    one.end_turn();
    CHECK(two.others_rest());
}

TEST_CASE("What two workers would use at once is refused by name", "[worker][run]") {
    const test::ScratchFolder folder;
    const auto lock = folder.path() / "turns";
    const Neighbour first{"one", {"two"}, {0, 1}, {"nvidia0"}};
    {
        const Neighbours one(lock, first);
        CHECK_THROWS_WITH(
            Neighbours(lock, {"two", {"one"}, {1, 2}, {"nvidia1"}}),
            Catch::Contains("two and one may run beside each other and have cores 1 both"));
        CHECK_THROWS_WITH(
            Neighbours(lock, {"two", {"one"}, {2}, {"nvidia1", "nvidia0"}}),
            Catch::Contains("have nvidia0 both"));
        CHECK_THROWS_WITH(Neighbours(lock, first), Catch::Contains("another worker called one"));
        CHECK_NOTHROW(Neighbours(lock, {"two", {"one"}, {2}, {"nvidia1"}}));
    }
    // What ended left its file, and takes nothing.
    CHECK_NOTHROW(Neighbours(lock, {"two", {"one"}, {1}, {"nvidia0"}}));
}

TEST_CASE("A file that is no worker's keeps nobody waiting", "[worker][run]") {
    const test::ScratchFolder folder;
    const auto lock = folder.path() / "turns";
    for (const auto* text : {"", "{", "[]", "{\"name\": 1}"}) {
        std::ofstream(lock.string() + ".odd") << text;
        const Neighbours one(lock, neighbour("one", "odd", 0));
        CHECK(one.others_rest());
    }
}

TEST_CASE("A lock file that cannot be locked ends the run with an error", "[worker][run]") {
    const test::ScratchFolder folder;
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    Counting inner(now, most);
    TurnRunner runner(inner, folder.path() / "turns");
    std::string said;
    // The filter stays with its thread.
    std::thread([&] {
        auto* filter = ::seccomp_init(SCMP_ACT_ALLOW);
        ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOLCK), SCMP_SYS(flock), 0);
        ::seccomp_load(filter);
        ::seccomp_release(filter);
        try {
            runner.run({});
        } catch (const Error& error) {
            said = error.what();
        }
    }).join();
    CHECK(said == "locking machine_lock: No locks available");
    CHECK(inner.runs == 0);
}
