// What strangers wrote is read by a process that can only compute.

#include "worker/run/guarded.hpp"

#include <csignal>
#include <fcntl.h>
#include <map>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <sys/wait.h>

#include "schema/text/read_budget.hpp"
#include "worker/run/samples.hpp"

namespace vigil::worker {
namespace {

constexpr GuardLimits usual{.memory_bytes = std::size_t{64} << 20, .cpu_s = 20, .wall_s = 300};

TEST_CASE("A guarded call returns what its work does", "[worker][run][guarded]") {
    CHECK(guarded_bytes(usual, [] { return std::string("abc"); }) == "abc");
    CHECK(guarded_bytes(usual, [] { return std::string(); }).empty());
    const std::string large(5'000'000, 'x');
    CHECK(guarded_bytes(usual, [&] { return large; }) == large);
    const std::map<std::string, std::vector<double>> values{{"a", {1, -2.5}}, {"", {}}};
    CHECK(guarded(usual, [&] { return values; }) == values);
    const std::vector<std::optional<Direction>> ways{
        Direction::higher_is_better, std::nullopt, Direction::lower_is_better};
    CHECK(guarded(usual, [&] { return ways; }) == ways);
}

TEST_CASE("What a guarded call throws comes over as it is", "[worker][run][guarded]") {
    try {
        guarded_bytes(usual, []() -> std::string { throw Error(Errc::conflict, "two of them"); });
        FAIL("it returned");
    } catch (const Error& error) {
        CHECK(error.code() == Errc::conflict);
        CHECK(std::string(error.what()) == "two of them");
    }
    CHECK_THROWS_AS(
        guarded_bytes(usual, []() -> std::string { throw text::BudgetError("too much"); }),
        text::BudgetError);
}

TEST_CASE(
    "A guarded call that crashes is refused, and this process goes on", "[worker][run][guarded]") {
    CHECK_THROWS_WITH(
        guarded_bytes(
            usual,
            []() -> std::string {
                ::raise(SIGSEGV);
                ::_exit(3);
            }),
        Catch::Contains("the reader failed"));
}

TEST_CASE("A guarded call has no files, network or processes", "[worker][run][guarded]") {
    const std::string secret = "not for readers";
    const int open_before = ::open("/dev/null", O_RDWR);
    const auto done = guarded(usual, [&] {
        std::vector<int> answers;
        answers.push_back(::open("/etc/passwd", O_RDONLY));
        answers.push_back(::socket(AF_INET, SOCK_STREAM, 0));
        answers.push_back(static_cast<int>(::fork()));
        answers.push_back(static_cast<int>(::write(open_before, "x", 1)));
        answers.push_back(static_cast<int>(::write(2, "x", 1)));
        answers.push_back(::kill(::getppid(), 0));
        answers.push_back(::execl("/bin/true", "true", nullptr));
        return answers;
    });
    CHECK(done == std::vector<int>(7, -1));
    ::close(open_before);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("A guarded call ends where its memory or time does", "[worker][run][guarded]") {
    CHECK_THROWS_AS(
        guarded_bytes(
            usual,
            [] {
                std::string all;
                for (;;) all.append(1 << 20, 'x');
                return all;
            }),
        text::BudgetError);
    CHECK_THROWS_WITH(
        guarded_bytes(
            {.memory_bytes = 1 << 20, .cpu_s = 1, .wall_s = 300},
            [] {
                volatile bool goes_on = true;
                while (goes_on) continue;
                return std::string();
            }),
        Catch::Contains("more than 1 s"));
}
#endif

TEST_CASE("What came back broken is refused", "[worker][run][guarded]") {
    CHECK_THROWS_AS(wire::unpacked<std::string>("\x05"), Error);
    CHECK_THROWS_AS(wire::unpacked<std::vector<double>>(std::string(8, '\xff')), Error);
    CHECK_THROWS_AS(wire::unpacked<Direction>(std::string(8, '\x7f')), Error);
}

TEST_CASE("A run whose output takes too much to read has failed", "[worker][run][guarded]") {
    RunReport report;
    report.end = RunEnd::exited;
    report.wall_time_ns = 5;
    report.output = R"({"benchmarks":)" + std::string(200, '[');
    BenchmarkPlan plan;
    plan.samples.format = SampleFormat::harness;
    plan.samples.select = "a";
    const auto deep = guarded_samples_of(report, plan);
    CHECK(deep.outcome == Outcome::failed);
    CHECK_THAT(deep.message, Catch::Contains("100 levels"));
    report.output = R"({"a":{"latency":{"value":12.5}}})";
    const auto read = guarded_samples_of(report, plan);
    CHECK(read.outcome == Outcome::passed);
    REQUIRE_FALSE(read.samples.empty());
    CHECK(read.samples.front().values == std::vector<double>{12.5});
}

}  // namespace
}  // namespace vigil::worker
