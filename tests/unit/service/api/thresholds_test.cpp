#include "service/api/results/thresholds.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

/// Four blocks of runs whose new build is so much worse, with a little noise.
MeasuredAgain moved_by(double ratio, double noise_of_run = 0.002) {
    MeasuredAgain measured;
    measured.rules.asked = Finding::worse;
    measured.rules.second_session = false;
    for (int block = 0; block < 6; ++block) {
        int place = 0;
        for (const auto side : detect::block_order(block)) {
            const double noise = 1 + noise_of_run * ((block * 4 + place++) % 5 - 2);
            const double level = side == detect::Side::a ? 100 : 100 * (1 + ratio);
            measured.runs.push_back({side, block, level * noise});
        }
    }
    return measured;
}

}  // namespace

TEST_CASE("Another threshold is asked about the same runs", "[service][api]") {
    const std::vector<MeasuredAgain> measured{moved_by(0.1), moved_by(0.055), moved_by(0)};
    const auto usual = count_at(measured, 0.07);
    CHECK(usual.worse == 1);
    CHECK(usual.drift == 1);
    CHECK(usual.not_there == 1);
    const auto lower = count_at(measured, 0.02);
    CHECK(lower.worse == 2);
    CHECK(lower.not_there == 1);
    const auto higher = count_at(measured, 0.3);
    CHECK(higher.worse == 0);
    CHECK(higher.drift == 2);
    CHECK(higher.not_there == 1);
    CHECK(count_at({}, 0.07).undecided == 0);
}

TEST_CASE("What is surely there is no riddle at a threshold far from it", "[service][api]") {
    // About +12 % [9, 15].
    const auto at_20 = count_at({moved_by(0.12, 0.02)}, 0.2);
    CHECK(at_20.drift == 1);
    const auto at_2 = count_at({moved_by(0.25, 0.02)}, 0.02);
    CHECK(at_2.worse == 1);
    const auto noisy = count_at({moved_by(0.25, 0.05)}, 0.02);
    CHECK(noisy.worse == 1);
    const auto near = count_at({moved_by(0.12, 0.02)}, 0.12);
    CHECK(near.undecided == 1);
    const auto none = count_at({moved_by(0, 0.02)}, 0.2);
    CHECK(none.not_there == 1);
}
