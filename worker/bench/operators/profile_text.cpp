#include "worker/bench/operators/profile_text.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace vigil_bench {

namespace {

std::string scaled(double value, const char* const* units, std::size_t count) {
    std::size_t unit = 0;
    while (value >= 1000 && unit + 1 < count) {
        value /= 1000;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", value, units[unit]);
    return text;
}

}  // namespace

std::string time_text(double ns) {
    constexpr const char* units[] = {"ns", "us", "ms", "s"};
    return scaled(ns, units, 4);
}

std::string percent_text(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return text;
}

std::string amount_text(double amount) {
    constexpr const char* units[] = {"", "k", "M", "G", "T", "P"};
    return scaled(amount, units, 6);
}

nlohmann::json complete_event(
    const char* category, const std::string& name, double start_ns, double end_ns, int track) {
    constexpr double ns_of_us = 1000;
    return {
        {"ph", "X"},
        {"cat", category},
        {"name", name},
        {"ts", start_ns / ns_of_us},
        {"dur", (end_ns - start_ns) / ns_of_us},
        {"pid", 1},
        {"tid", track}};
}

}  // namespace vigil_bench
