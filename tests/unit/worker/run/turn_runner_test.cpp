#include "worker/run/turn_runner.hpp"

#include <atomic>
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
