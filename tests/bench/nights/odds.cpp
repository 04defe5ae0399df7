#include "tests/bench/nights/odds.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace vigil::nights {

namespace {

std::string two_digits(double value) {
    if (value >= .995) return "1";
    auto text = fmt::format("{:.2f}", value);
    if (text.starts_with("0.")) text.erase(0, 1);
    return text;
}

}  // namespace

std::pair<double, double> wilson(int k, int n) {
    if (n == 0) return {0, 1};
    const double z = 1.96;
    const double p = static_cast<double>(k) / n;
    const double d = 1 + z * z / n;
    const double middle = (p + z * z / 2 / n) / d;
    const double half = z * std::sqrt(p * (1 - p) / n + z * z / 4 / n / n) / d;
    return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

double upper(int k) {
    double low = 0;
    double high = 3 * k + 10.0;
    for (int step = 0; step < 60; ++step) {
        const double mean = (low + high) / 2;
        double held = 0;
        for (int i = 0; i <= k; ++i) {
            held += std::exp(i * std::log(mean) - mean - std::lgamma(i + 1));
        }
        (held > .05 ? low : high) = mean;
    }
    return high;
}

std::string share(int k, int n, bool bounds) {
    if (n == 0) return "-";
    const auto value = two_digits(static_cast<double>(k) / n);
    if (!bounds) return value;
    const auto [low, high] = wilson(k, n);
    return fmt::format("{} ({}-{})", value, two_digits(low), two_digits(high));
}

}  // namespace vigil::nights
