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
                for (const auto i : operators_of_night(count, night, each)) measured.insert(i);
            }
            CHECK(measured.size() == count);
        }
    }
    CHECK(operators_of_night(0, 5, 3).empty());
}

TEST_CASE("Nights that end before their part does leave no operator out for ever", "[bench]") {
    for (const std::size_t each : {30U, 100U}) {
        std::set<std::size_t> measured;
        for (std::int64_t night = 20'000; night < 20'040; ++night) {
            const auto order = operators_of_night(100, night, each);
            measured.insert(order.begin(), order.begin() + 10);
        }
        CAPTURE(each);
        CHECK(measured.size() == 100);
    }
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
