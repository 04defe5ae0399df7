#include "tests/bench/bisect/dice.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vigil::bench {

namespace {

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;

}  // namespace

Dice::Dice(std::uint64_t seed, std::initializer_list<std::uint64_t> key) : state_(mix(seed)) {
    for (const std::uint64_t word : key) state_ = mix(state_ + golden) ^ mix(word + golden);
}

std::uint64_t Dice::next() {
    state_ += golden;
    return mix(state_);
}

double Dice::uniform() {
    return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53;
}

double Dice::log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
}

int Dice::integer(int low, int high) {
    const double span = static_cast<double>(high) - low + 1;
    return std::min(high, low + static_cast<int>(std::floor(span * uniform())));
}

double Dice::normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Dice::student(int freedom) {
    const double z = normal();
    double squares = 0;
    for (int i = 0; i < freedom; ++i) {
        const double each = normal();
        squares += each * each;
    }
    return z / std::sqrt(squares / freedom);
}

}  // namespace vigil::bench
