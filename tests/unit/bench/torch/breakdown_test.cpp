#include "worker/bench/device/breakdown.hpp"

#include <catch2/catch.hpp>

using namespace vigil_bench;

namespace {

void has_shares(const GpuTrace& trace, double active, double data_movement, double idle) {
    const GpuShares shares = break_down(trace);
    CHECK(shares.active == Approx(active).margin(1e-12));
    CHECK(shares.data_movement == Approx(data_movement).margin(1e-12));
    CHECK(shares.idle == Approx(idle).margin(1e-12));
}

}  // namespace

TEST_CASE("Kernels that overlap, touch or hold each other count once", "[bench][torch]") {
    has_shares({{{10, 30}, {20, 40}, {40, 50}, {12, 18}}, {}, 100, 100}, 0.4, 0, 0.6);
    has_shares({{{40, 50}, {10, 30}, {12, 18}, {20, 40}}, {}, 100, 100}, 0.4, 0, 0.6);
}

TEST_CASE("A copy counts only where no kernel runs beside it", "[bench][torch]") {
    has_shares({{{0, 50}}, {{40, 60}}, 100, 100}, 0.5, 0.1, 0.4);
    has_shares({{{0, 50}}, {{10, 40}}, 100, 100}, 0.5, 0, 0.5);
    has_shares({{{20, 30}, {40, 50}}, {{0, 100}}, 100, 100}, 0.2, 0.8, 0);
}

TEST_CASE("Without work the GPU is idle, and only then all the time", "[bench][torch]") {
    has_shares({{}, {}, 100, 100}, 0, 0, 1);
    has_shares({{}, {{5, 10}}, 250, 100}, 0, 0.05, 0.95);
}

TEST_CASE("Spans that lie nowhere, or far from zero, do no harm", "[bench][torch]") {
    has_shares({{{50, 50}, {60, 40}}, {{9, 1}}, 100, 100}, 0, 0, 1);
    has_shares({{{1.8e18, 1.8e18 + 1024}}, {}, 9000, 4096}, 0.25, 0, 0.75);
    has_shares({{{-100, -50}}, {}, 100, 100}, 0.5, 0, 0.5);
}

TEST_CASE("Work that takes longer than the wall clock says is all of the time", "[bench][torch]") {
    has_shares({{{0, 90}}, {{90, 120}}, 100, 100}, 0.75, 0.25, 0);
}

TEST_CASE("Only copies between the GPU and elsewhere move data", "[bench][torch]") {
    CHECK(is_data_movement("Memcpy HtoD (Pageable -> Device)"));
    CHECK(is_data_movement("Memcpy DtoH (Device -> Pinned)"));
    CHECK(is_data_movement("Memcpy PtoP (Device -> Device)"));
    CHECK_FALSE(is_data_movement("Memcpy DtoD (Device -> Device)"));
    CHECK_FALSE(is_data_movement("Memset (Device)"));
    CHECK_FALSE(is_data_movement("volta_sgemm_128x64_tn"));
}
