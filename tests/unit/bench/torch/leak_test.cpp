#include "worker/bench/measure/leak.hpp"

#include <catch2/catch.hpp>

using namespace vigil_bench;

namespace {

/// A generator of its own, so that every machine tests the same numbers.
class Dice {
  public:
    explicit Dice(unsigned seed) : state_(seed) {
        for (int i = 0; i < 10; ++i) roll();
    }
    double roll() {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(state_ >> 40) / static_cast<double>(1 << 24);
    }

  private:
    unsigned long long state_;
};

std::vector<double> line(std::size_t count, double slope) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(1e6 + slope * static_cast<double>(i));
    return values;
}

/// Of samples of so many iterations each, with none between them.
Leak leak_of(const std::vector<double>& values, double iterations_per_sample) {
    std::vector<double> iterations;
    for (std::size_t i = 1; i <= values.size(); ++i) {
        iterations.push_back(iterations_per_sample * static_cast<double>(i));
    }
    return find_leak(values, iterations);
}

}  // namespace

TEST_CASE("Memory that does not move is no leak, in however few samples", "[bench][leak]") {
    for (const std::size_t count : {2U, 3U, 30U, 2000U}) {
        const auto leak = leak_of(line(count, 0), 7);
        CHECK(leak.bytes_per_iteration == 0);
        CHECK(leak.low == 0);
        CHECK(leak.high == 0);
        CHECK(leak.verdict == LeakVerdict::none);
    }
}

TEST_CASE("A leak is its exact slope for each iteration", "[bench][leak]") {
    const auto leak = leak_of(line(40, 8 * 1024 * 1024 * 5), 5);
    CHECK(leak.bytes_per_iteration == Approx(8 * 1024 * 1024));
    CHECK(leak.low == Approx(8 * 1024 * 1024));
    CHECK(leak.high == Approx(8 * 1024 * 1024));
    CHECK(leak.verdict == LeakVerdict::leak);
}

TEST_CASE("Single steps and spikes are no leak", "[bench][leak]") {
    auto values = line(40, 0);
    for (std::size_t i = 30; i < values.size(); ++i) values[i] += 1e7;  // a cache that fills once
    values[5] += 1e9;
    const auto leak = leak_of(values, 1);
    CHECK(leak.bytes_per_iteration == 0);
    CHECK(leak.verdict != LeakVerdict::leak);
}

TEST_CASE("A leak beside spikes is found with its interval around the truth", "[bench][leak]") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        Dice dice(seed);
        auto values = line(60, 4096);
        for (auto& value : values) value += dice.roll() < 0.2 ? 1e6 * dice.roll() : 0;
        const auto leak = leak_of(values, 1);
        CAPTURE(seed, leak.low, leak.high);
        CHECK(leak.verdict == LeakVerdict::leak);
        CHECK(leak.low <= 4096);
        CHECK(leak.high >= 4096);
    }
}

TEST_CASE("The interval of pure noise holds nothing nearly always", "[bench][leak]") {
    int covered = 0;
    int leaks = 0;
    for (unsigned seed = 1; seed <= 400; ++seed) {
        Dice dice(seed);
        auto values = line(30, 0);
        for (auto& value : values) value += 1e5 * dice.roll();
        const auto leak = leak_of(values, 1);
        covered += leak.low <= 0 && leak.high >= 0 ? 1 : 0;
        leaks += leak.verdict == LeakVerdict::leak ? 1 : 0;
    }
    CHECK(covered >= 370);  // 95 % of 400 are 380, give or take 4.4
    CHECK(leaks <= 20);
}

TEST_CASE(
    "A count that moves by itself leaks where it grows by more than its grain", "[bench][leak]") {
    const auto coarse = [](const std::vector<double>& values, double grain) {
        std::vector<double> iterations;
        for (std::size_t i = 1; i <= values.size(); ++i) {
            iterations.push_back(static_cast<double>(i));
        }
        return find_coarse_leak(values, iterations, grain);
    };
    const auto small = coarse(line(30, 200), 32768);
    CHECK(small.verdict == LeakVerdict::none);
    CHECK(small.low == Approx(200));  // and it is told all the same
    CHECK(coarse(line(30, 2000), 32768).verdict == LeakVerdict::leak);
    CHECK(coarse(line(400, 200), 32768).verdict == LeakVerdict::leak);
    auto step = line(30, 0);
    for (std::size_t i = 20; i < step.size(); ++i) step[i] += 5e6;  // once is no leak
    CHECK(coarse(step, 1 << 20).verdict == LeakVerdict::none);
    Dice dice(1);
    auto wild = line(12, 1e6);  // grows, and swings by more
    for (auto& value : wild) value += 2e7 * dice.roll();
    CHECK(coarse(wild, 1 << 20).verdict == LeakVerdict::unclear);
    CHECK(coarse(line(3, 10), 32768).verdict == LeakVerdict::none);
    CHECK(coarse(line(3, 1e6), 32768).verdict == LeakVerdict::unclear);
    CHECK(coarse({}, 32768).verdict == LeakVerdict::unclear);
}

TEST_CASE("A leak of the process counts beside tensors that do not grow", "[bench][leak]") {
    const auto grows = [](double bytes) {
        return Leak{bytes, 0.99 * bytes, 1.01 * bytes, LeakVerdict::leak};
    };
    const Leak flat{0, 0, 0, LeakVerdict::none};
    const Leak unclear{5, -10, 1e6, LeakVerdict::unclear};
    CHECK(joined({flat, flat, flat}).verdict == LeakVerdict::none);
    CHECK(joined({flat, grows(1e6), flat}).bytes_per_iteration == 1e6);
    CHECK(joined({flat, flat, grows(1e6)}).bytes_per_iteration == 1e6);  // mapped, not malloc's
    CHECK(joined({grows(1e6), grows(1.0002e6), flat}).bytes_per_iteration == 1e6);  // the exact one
    CHECK(joined({grows(1000), grows(1e6), flat}).bytes_per_iteration == 1e6);
    CHECK(joined({grows(1e6), grows(1e6), grows(9e6)}).bytes_per_iteration == 9e6);
    CHECK(joined({flat, unclear, flat}).verdict == LeakVerdict::unclear);
    CHECK(joined({flat, flat, unclear}).verdict == LeakVerdict::none);
    CHECK(joined({unclear, grows(1e6), flat}).verdict == LeakVerdict::leak);
    CHECK(joined({grows(1e6), unclear, unclear}).verdict == LeakVerdict::leak);
}

TEST_CASE("Few samples that move say nothing", "[bench][leak]") {
    CHECK(leak_of({}, 1).verdict == LeakVerdict::unclear);
    CHECK(leak_of({5}, 1).verdict == LeakVerdict::unclear);
    CHECK(leak_of(line(4, 1e6), 1).verdict == LeakVerdict::unclear);
}

TEST_CASE("A growth of a page in an iteration or more is not called none", "[bench][leak]") {
    auto values = line(12, 0);
    for (std::size_t i = 0; i < values.size(); i += 2) values[i] += 1e7;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += 1e5 * static_cast<double>(i);
    CHECK(leak_of(values, 1).verdict == LeakVerdict::unclear);
}
