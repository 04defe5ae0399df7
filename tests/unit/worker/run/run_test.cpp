#include "worker/run/run.hpp"

#include <csignal>

#include <catch2/catch.hpp>

#include "worker/run/capture.hpp"
#include "worker/run/out_of_memory.hpp"

using namespace vigil;
using namespace vigil::worker;

namespace {

RunReport exited(int code, std::string errors = "") {
    RunReport report;
    report.end = RunEnd::exited;
    report.exit_code = code;
    report.errors = std::move(errors);
    return report;
}

}  // namespace

TEST_CASE("Exit codes mean what the plan says", "[worker][run]") {
    BenchmarkPlan plan;
    plan.wrong_exit_code = 4;
    plan.unsupported_exit_code = 5;
    CHECK(outcome_of(exited(0), plan).outcome == Outcome::passed);
    CHECK(outcome_of(exited(4), plan).outcome == Outcome::wrong);
    CHECK(outcome_of(exited(5), plan).outcome == Outcome::unsupported);
    CHECK(outcome_of(exited(3), plan).outcome == Outcome::failed);
}

TEST_CASE("A failure's message ends with the last words of the program", "[worker][run]") {
    const auto reported = outcome_of(exited(1, "a lot\nno such tensor\n\n"), BenchmarkPlan{});
    CHECK(reported.message == "exit code 1: no such tensor");
}

TEST_CASE("Ends other than an exit keep their kind", "[worker][run]") {
    RunReport report;
    report.end = RunEnd::timed_out;
    CHECK(outcome_of(report, {}).outcome == Outcome::timeout);
    report.end = RunEnd::out_of_memory;
    CHECK(outcome_of(report, {}).outcome == Outcome::oom);
    report.end = RunEnd::signalled;
    CHECK(outcome_of(report, {}).outcome == Outcome::failed);
    report.end = RunEnd::not_started;
    CHECK(outcome_of(report, {}).outcome == Outcome::failed);
}

TEST_CASE("Want of memory is known by kills, by words and by the peak", "[worker][run]") {
    Limits limits;
    limits.memory_bytes = 1000;
    CHECK(ran_out_of_memory(exited(1), 1, limits));
    CHECK(ran_out_of_memory(exited(0), 1, limits));
    CHECK_FALSE(ran_out_of_memory(exited(0), 0, limits));
    CHECK_FALSE(ran_out_of_memory(exited(1), 0, limits));
    CHECK(ran_out_of_memory(exited(1, "terminate ... std::bad_alloc"), 0, limits));
    CHECK_FALSE(ran_out_of_memory(exited(0, "caught std::bad_alloc"), 0, limits));
    RunReport killed;
    killed.end = RunEnd::signalled;
    killed.signal = SIGKILL;
    killed.peak_bytes = 950;
    CHECK(ran_out_of_memory(killed, 0, limits));
    killed.peak_bytes = 500;
    CHECK_FALSE(ran_out_of_memory(killed, 0, limits));
}

TEST_CASE("A short stream is kept as it is", "[worker][run]") {
    Capture capture(10);
    capture.add("12345");
    capture.add("67890");
    CHECK(capture.text() == "1234567890");
    CHECK_FALSE(capture.truncated());
}

TEST_CASE("A long stream keeps its two ends, however it comes in pieces", "[worker][run]") {
    for (const std::size_t piece : {1U, 3U, 7U, 26U}) {
        const std::string all = "abcdefghijklmnopqrstuvwxyz";
        Capture capture(7);
        for (std::size_t i = 0; i < all.size(); i += piece) capture.add(all.substr(i, piece));
        CAPTURE(piece);
        CHECK(capture.text() == "abcd\n[... 19 bytes left out ...]\nxyz");
        CHECK(capture.total_bytes() == 26);
        CHECK(capture.truncated());
    }
}
