#include "worker/bench/operators/operators_night.hpp"

#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace vigil_bench;

TEST_CASE("Nights that are too short measure all operators in turn", "[bench]") {
    for (const std::size_t count : {1U, 7U, 10U, 101U}) {
        for (const std::size_t each : {1U, 3U, 10U, 200U}) {
            CAPTURE(count, each);
            std::set<std::size_t> measured;
            const auto nights = static_cast<std::int64_t>((count + each - 1) / each);
            for (std::int64_t night = 20'000; night < 20'000 + nights; ++night) {
                const auto first = first_of_night(count, night, each);
                for (auto i = first; i < std::min(count, first + each); ++i) measured.insert(i);
            }
            CHECK(measured.size() == count);
        }
    }
    CHECK(first_of_night(0, 5, 3) == 0);
}

TEST_CASE("Operators are told as Google Benchmark does", "[bench]") {
    const auto told = google_benchmarks(
        {{"aten::mm/f32[2x2] f32[2x2]", {10, 12}, {11, 13}, ""},
         {"aten::fft/f32[3]", {}, {}, "not there"}},
        {{"executable", "vigil-bench"}});
    CHECK(told.at("context").at("executable") == "vigil-bench");
    REQUIRE(told.at("benchmarks").size() == 3);
    const auto& second = told.at("benchmarks").at(1);
    CHECK(second.at("name") == "aten::mm/f32[2x2] f32[2x2]");
    CHECK(second.at("cpu_time") == 12);
    CHECK(second.at("real_time") == 13);
    CHECK(second.at("repetitions") == 2);
    CHECK(told.at("benchmarks").at(2).at("error_message") == "not there");
}
