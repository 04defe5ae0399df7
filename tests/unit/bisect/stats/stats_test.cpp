#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"

using namespace vigil::stats;

TEST_CASE("The median of an even number of values lies between the middle two", "[bisect][stats]") {
    CHECK(median(std::vector<double>{4, 1, 3, 2}) == 2.5);
    CHECK(median(std::vector<double>{9, 1, 5}) == 5);
    CHECK(median(std::vector<double>{7}) == 7);
    CHECK(std::isnan(median({})));
}

TEST_CASE("A step and a slow drift do not move the spread of steps", "[bisect][stats]") {
    std::vector<double> values;
    for (int i = 0; i < 20; ++i) values.push_back((i % 2) + 0.01 * i + (i < 10 ? 0 : 100));
    CHECK(spread_of_steps(values) == Approx(1.4826 / std::sqrt(2.0)).epsilon(0.02));
    CHECK(spread(values) > 10);
    CHECK(spread_of_steps(std::vector<double>{3, 3, 3}) == 0);
    CHECK(spread_of_steps(std::vector<double>{3}) == 0);
}

TEST_CASE("One wild value does not move the spread", "[bisect][stats]") {
    CHECK(spread(std::vector<double>{10, 11, 9, 10, 1e9}) == Approx(1.4826));
    CHECK(spread(std::vector<double>{3, 3, 3}) == 0);
    CHECK(spread(std::vector<double>{3}) == 0);
}

TEST_CASE("A trimmed mean leaves out the same number at both ends", "[bisect][stats]") {
    const std::vector<double> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 1e9};
    CHECK(trimmed_mean(ten, 0.1) == 5.5);
    CHECK(trimmed_mean(std::vector<double>{4, 1, 100}, 0.1) == 35);
    CHECK(trimmed_mean(std::vector<double>{7}, 0.4) == 7);
    CHECK(std::isnan(trimmed_mean({}, 0.1)));
}

TEST_CASE("Quantiles are linear between order statistics", "[bisect][stats]") {
    const std::vector<double> values{40, 10, 30, 20};
    CHECK(quantile(values, 0) == 10);
    CHECK(quantile(values, 1) == 40);
    CHECK(quantile(values, 0.25) == Approx(17.5));
    CHECK(mean(values) == 25);
}

TEST_CASE("Student's t agrees with printed tables", "[bisect][stats]") {
    CHECK(student_t_quantile(0.999, 8) == Approx(4.501).epsilon(1e-3));
    CHECK(student_t_quantile(0.95, 2) == Approx(2.920).epsilon(1e-3));
    CHECK(student_t_cdf(2.228, 10) == Approx(0.975).epsilon(1e-4));
    CHECK(student_t_cdf(-INFINITY, 3) == 0);
    CHECK(normal_cdf(1.959964) == Approx(0.975).epsilon(1e-6));
    CHECK(normal_density(0, 0, 1) == Approx(0.3989423));
}
