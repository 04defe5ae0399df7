#include "worker/bench/operators/live_memory.hpp"

#include <random>

#include <catch2/catch.hpp>

using namespace vigil_bench;

TEST_CASE("A place holds at the peak what it had then, not its own most", "[bench]") {
    LiveMemory live(100);
    live.allocate(1, 500);  // 600
    live.release(1, 500);
    live.allocate(2, 300);
    live.allocate(1, 250);  // 650: the peak
    live.release(2, 300);
    live.allocate(1, 150);  // 1 holds 400 now, and all together 500
    CHECK(live.peak_bytes() == 650);
    CHECK(live.live_bytes() == 500);
    const auto places = live.places();
    REQUIRE(places.size() == 3);
    CHECK(places[LiveMemory::before].peak_bytes == 100);
    CHECK(places[LiveMemory::before].peak_blocks == 0);
    CHECK(places[1].peak_bytes == 250);
    CHECK(places[1].peak_blocks == 1);
    CHECK(places[1].end_bytes == 400);
    CHECK(places[2].peak_bytes == 300);
    CHECK(places[2].end_bytes == 0);
}

TEST_CASE("What was there before may be released", "[bench]") {
    LiveMemory live(1000);
    live.release(LiveMemory::before, 400);
    live.allocate(1, 300);
    CHECK(live.peak_bytes() == 1000);
    CHECK(live.places()[0].peak_bytes == 1000);
    CHECK(live.places()[1].peak_bytes == 0);
    live.allocate(1, 200);  // 1100
    CHECK(live.places()[0].peak_bytes == 600);
    CHECK(live.places()[1].peak_bytes == 500);
}

TEST_CASE("What grows is counted after the second iteration", "[bench]") {
    LiveMemory live(0);
    for (int i = 0; i < 5; ++i) {
        live.allocate(1, 64);               // stays
        if (i < 2) live.allocate(2, 1000);  // is taken once, and kept
        live.allocate(3, 10'000);
        live.release(3, 10'000);
        live.end_iteration();
    }
    const auto places = live.places();
    CHECK(live.iterations() == 5);
    CHECK(places[1].grown_bytes == 64);
    CHECK(places[2].grown_bytes == 0);
    CHECK(places[2].end_bytes == 2000);
    CHECK(places[3].grown_bytes == 0);
    CHECK(live.peak_bytes() == 4 * 64 + 64 + 2000 + 10'000);
}

TEST_CASE("The peak by places is the one that a look at each moment finds", "[bench]") {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        LiveMemory live(50);
        std::vector<std::int64_t> now{50, 0, 0, 0};
        std::vector<std::int64_t> at_peak = now;
        std::int64_t peak = 50;
        std::vector<std::pair<std::uint32_t, std::int64_t>> blocks;
        for (int i = 0; i < 200; ++i) {
            if (!blocks.empty() && random() % 2 == 0) {
                const auto which = random() % blocks.size();
                const auto [place, bytes] = blocks[which];
                blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
                live.release(place, bytes);
                now[place] -= bytes;
            } else {
                const auto place = static_cast<std::uint32_t>(1 + random() % 3);
                const auto bytes = static_cast<std::int64_t>(random() % 100);
                blocks.emplace_back(place, bytes);
                live.allocate(place, bytes);
                now[place] += bytes;
            }
            const auto all = now[0] + now[1] + now[2] + now[3];
            if (all <= peak) continue;
            peak = all;
            at_peak = now;
        }
        REQUIRE(live.peak_bytes() == peak);
        const auto places = live.places();
        for (std::size_t i = 0; i < places.size(); ++i) REQUIRE(places[i].peak_bytes == at_peak[i]);
    }
}
