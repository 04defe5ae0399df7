#include "service/schedule/worker_state.hpp"

#include <catch2/catch.hpp>
namespace vigil::service {
namespace {

TEST_CASE("A worker that misses what its class demands is quarantined", "[service][schedule]") {
    const MachineClassConfig wanted{
        .cpu_model = "Xeon",
        .min_memory_bytes = 100,
        .gpu = "H200",
        .labels = {{"rack", "a"}},
        .environment = {}};
    Fingerprint shown;
    shown.cpu_model = "Intel Xeon 8480";
    shown.memory_bytes = 100;
    shown.gpus = {"T4, 550", "NVIDIA H200, 550"};
    shown.labels = {{"rack", "a"}, {"more", "x"}};
    CHECK_FALSE(why_unfit(wanted, shown).has_value());
    auto other = shown;
    other.cpu_model = "EPYC";
    CHECK_THAT(*why_unfit(wanted, other), Catch::Contains("EPYC"));
    other = shown;
    other.memory_bytes = 99;
    CHECK_THAT(*why_unfit(wanted, other), Catch::Contains("memory"));
    other = shown;
    other.gpus.pop_back();
    CHECK_THAT(*why_unfit(wanted, other), Catch::Contains("H200"));
    other = shown;
    other.labels["rack"] = "b";
    CHECK_THAT(*why_unfit(wanted, other), Catch::Contains("rack"));
    CHECK_FALSE(why_unfit({}, {}).has_value());
}

TEST_CASE("A worker that is silent for too long is not there", "[service][schedule]") {
    JobConfig jobs;
    CHECK_FALSE(unseen_s(1000, jobs, 1000 + worker_silent_after_s - 1));
    CHECK_FALSE(unseen_s(1000, jobs, 900));  // a clock went back
    CHECK(unseen_s(1000, jobs, 1241) == 241);
    jobs.lease_ttl_s = 600;  // a heartbeat every 200 s
    CHECK_FALSE(unseen_s(1000, jobs, 1241));
}

}  // namespace
}  // namespace vigil::service
