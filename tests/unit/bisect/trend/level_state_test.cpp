#include "bisect/trend/level_state.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include <catch2/catch.hpp>

#include "bisect/trend/level_watch.hpp"
#include "bisect/trend/state_bytes.hpp"

using namespace vigil;
using trend::LevelState;
using trend::LevelWatch;
using trend::NightFinding;
using Bytes = std::vector<std::byte>;

namespace {

Bytes write_level_state(const LevelState& state) {
    trend::StateWriter out;
    trend::write_level_state(out, state);
    return out.take();
}

std::optional<LevelState> read_level_state(std::span<const std::byte> bytes) {
    trend::StateReader in(bytes);
    auto state = trend::read_level_state(in);
    return in.is_at_end() ? std::move(state) : std::nullopt;
}

/// A series with whatever a series may have: steps, gaps, spikes, values without a logarithm.
std::vector<double> wild_series(unsigned seed, std::size_t nights) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, seed % 3 == 0 ? 0.05 : 0.005);
    std::uniform_real_distribution<double> uniform(0, 1);
    const double zeros = seed % 5 == 4 ? 0.3 : seed % 5 == 3 ? 0.01 : 0;
    const double sign = seed % 10 == 9 ? -1 : 1;
    double level = seed % 4 == 0 ? 511'705'088 : 1e-3;
    std::vector<double> values;
    for (std::size_t i = 0; i < nights; ++i) {
        if (uniform(random) < 0.02) level *= uniform(random) < 0.5 ? 1.2 : 0.8;
        double value = sign * level * std::exp(normal(random));
        if (uniform(random) < 0.02) value *= 2;
        if (uniform(random) < zeros) value = uniform(random) < 0.5 ? 0 : -value;
        if (uniform(random) < 0.05) value = std::nan("");
        values.push_back(value);
    }
    return values;
}

void check_same(const NightFinding& a, const NightFinding& b) {
    CHECK(a.suspicion == b.suspicion);
    CHECK(a.waiting_for == b.waiting_for);
    CHECK(a.step == b.step);
    CHECK(a.margin == b.margin);
    REQUIRE(a.since.has_value() == b.since.has_value());
    if (a.since) {
        CHECK(a.since->first == b.since->first);
        CHECK(a.since->earliest == b.since->earliest);
        CHECK(a.since->latest == b.since->latest);
    }
    REQUIRE(a.change.has_value() == b.change.has_value());
    if (!a.change) return;
    CHECK(a.change->night == b.change->night);
    CHECK(a.change->first == b.change->first);
    CHECK(a.change->worse == b.change->worse);
    CHECK(a.change->change_ratio == b.change->change_ratio);
    CHECK(a.change->low == b.change->low);
    CHECK(a.change->margin == b.change->margin);
}

LevelState state_after(const std::vector<double>& values, Direction direction) {
    LevelWatch watch(direction);
    for (const double value : values) watch.append(value);
    return watch.state();
}

}  // namespace

TEST_CASE(
    "A watch that is stored after every night says what one in memory says", "[bisect][trend]") {
    int changes = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        const auto direction =
            seed % 2 == 0 ? Direction::lower_is_better : Direction::higher_is_better;
        const auto values = wild_series(seed, 400);
        LevelWatch whole(direction);
        Bytes stored = write_level_state(LevelState(direction));
        std::mt19937 random(seed);
        for (std::size_t i = 0; i < values.size(); ++i) {
            CAPTURE(i);
            auto read = read_level_state(stored);
            REQUIRE(read);
            LevelWatch resumed(std::move(*read));
            if (random() % 90 == 0) {
                whole.start_level();
                resumed.start_level();
            }
            const auto finding = whole.append(values[i]);
            check_same(resumed.append(values[i]), finding);
            changes += finding.change ? 1 : 0;
            if (random() % 30 == 0) {
                whole.refute_last_night();
                resumed.refute_last_night();
            }
            REQUIRE(resumed.state().kept == whole.state().kept);
            stored = write_level_state(resumed.state());
        }
        CHECK(stored == write_level_state(whole.state()));
    }
    CHECK(changes > 50);
}

TEST_CASE("A state is as small after years as after a season", "[bisect][trend]") {
    const auto small =
        write_level_state(state_after(wild_series(2, 200), Direction::lower_is_better));
    const auto late =
        write_level_state(state_after(wild_series(2, 5000), Direction::lower_is_better));
    CHECK(small.size() < 1200);
    CHECK(late.size() < 1200);
    CHECK(write_level_state(LevelState(Direction::lower_is_better)).size() < 10);
}

TEST_CASE("Bytes that are no state are refused, and never crash a watch", "[bisect][trend]") {
    CHECK_FALSE(read_level_state({}));
    for (const unsigned seed : {2u, 4u, 9u}) {
        const auto good =
            write_level_state(state_after(wild_series(seed, 150), Direction::lower_is_better));
        for (std::size_t n = 0; n < good.size(); ++n) {
            CHECK_FALSE(read_level_state(std::span(good).first(n)));
        }
        Bytes longer = good;
        longer.push_back(std::byte{0});
        CHECK_FALSE(read_level_state(longer));
        std::size_t refused = 0;
        for (std::size_t i = 0; i < good.size(); ++i) {
            Bytes bent = good;
            bent[i] ^= std::byte{0x40};
            auto read = read_level_state(bent);
            refused += read ? 0 : 1;
            if (!read) continue;
            LevelWatch watch(std::move(*read));
            for (const double value : {1.0, 0.0, 1e-3, -5.0}) {
                CHECK(std::isfinite(watch.append(value).suspicion));
            }
        }
        CHECK(refused > 5);
    }
}

TEST_CASE(
    "A stored state keeps its direction and the nights that were left out", "[bisect][trend]") {
    std::vector<double> values(30, 100.0);
    values[3] = values[4] = values[28] = values[29] = std::numeric_limits<double>::infinity();
    const auto read =
        read_level_state(write_level_state(state_after(values, Direction::higher_is_better)));
    REQUIRE(read);
    CHECK(read->scale.direction() == Direction::higher_is_better);
    CHECK(read->next_night == 30);
    REQUIRE(read->kept.size() == 26);
    CHECK(read->kept.night[2] == 2);
    CHECK(read->kept.night[3] == 5);
    CHECK(read->kept.night.back() == 27);
}
