#include "worker/bench/operators/profile.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

namespace vigil_bench {

namespace {

using nlohmann::json;

constexpr std::size_t rows_of_table = 15;

/// They read and write the same values.
const std::set<std::string>& copying() {
    static const std::set<std::string> names{
        "aten::_to_copy",
        "aten::cat",
        "aten::clone",
        "aten::constant_pad_nd",
        "aten::contiguous",
        "aten::copy_",
        "aten::flip",
        "aten::repeat",
        "aten::roll",
        "aten::stack",
        "aten::to"};
    return names;
}

std::vector<const OperatorUse*> longest_first(const OperatorTrace& trace) {
    std::vector<const OperatorUse*> uses;
    for (const auto& use : trace.uses) uses.push_back(&use);
    std::stable_sort(uses.begin(), uses.end(), [](const auto* a, const auto* b) {
        return a->self_ns > b->self_ns;
    });
    return uses;
}

double in_operators_ns(const OperatorTrace& trace) {
    double sum = 0;
    for (const auto& use : trace.uses) sum += use.self_ns;
    return sum;
}

/// Several threads may take more than the clock shows.
double whole_ns(const OperatorTrace& trace) {
    return std::max({trace.wall_ns, in_operators_ns(trace), 1.0});
}

std::string time_text(double ns) {
    constexpr const char* units[] = {"ns", "us", "ms", "s"};
    std::size_t unit = 0;
    while (ns >= 1000 && unit < 3) {
        ns /= 1000;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", ns, units[unit]);
    return text;
}

}  // namespace

json profile_of(const OperatorTrace& trace, int iterations) {
    const double n = iterations;
    const double whole = whole_ns(trace);
    json operators = json::array();
    for (const auto* use : longest_first(trace)) {
        operators.push_back(
            {{"name", use->name},
             {"forward", use->forward},
             {"backward", use->backward},
             {"self_ns", use->self_ns / n},
             {"share", use->self_ns / whole},
             {"total_ns", use->total_ns / n},
             {"bytes", static_cast<double>(use->bytes) / n},
             {"shapes", use->shapes}});
    }
    return {
        {"iterations", iterations},
        {"wall_time_ns", trace.wall_ns / n},
        {"outside_ns", (whole - in_operators_ns(trace)) / n},
        {"registered", trace.registered},
        {"operators", std::move(operators)}};
}

std::string profile_table(const OperatorTrace& trace, int iterations) {
    const auto uses = longest_first(trace);
    const double whole = whole_ns(trace);
    char line[200];
    const auto row = [&](const char* name, const char* calls, const char* self, const char* share) {
        std::snprintf(line, sizeof line, "  %-44.44s %10s %12s %7s\n", name, calls, self, share);
        return std::string(line);
    };
    const auto percent = [&](double ns) {
        char text[16];
        std::snprintf(text, sizeof text, "%.1f %%", 100 * ns / whole);
        return std::string(text);
    };
    const auto each = [&](double ns) { return time_text(ns / iterations); };
    std::string table = row("operator", "calls", "self", "share");
    double shown = 0;
    for (std::size_t i = 0; i < std::min(rows_of_table, uses.size()); ++i) {
        const auto& use = *uses[i];
        const auto calls = std::to_string((use.forward + use.backward) / iterations);
        table +=
            row(use.name.c_str(),
                calls.c_str(),
                each(use.self_ns).c_str(),
                percent(use.self_ns).c_str());
        shown += use.self_ns;
    }
    const double others = in_operators_ns(trace) - shown;
    const double outside = whole - in_operators_ns(trace);
    if (uses.size() > rows_of_table) {
        const auto name = std::to_string(uses.size() - rows_of_table) + " others";
        table += row(name.c_str(), "", each(others).c_str(), percent(others).c_str());
    }
    return table + row("in no operator", "", each(outside).c_str(), percent(outside).c_str());
}

json chrome_trace(const OperatorTrace& trace) {
    constexpr double ns_of_us = 1000;
    json events = json::array();
    for (const auto& event : trace.events) {
        events.push_back(
            {{"ph", "X"},
             {"cat", "operator"},
             {"name", trace.uses[event.use].name},
             {"ts", event.start_ns / ns_of_us},
             {"dur", (event.end_ns - event.start_ns) / ns_of_us},
             {"pid", 1},
             {"tid", 1}});
    }
    return {{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
}

json cpu_breakdown_of(const OperatorTrace& trace, double wall_ns) {
    double moving = 0;
    for (const auto& use : trace.uses) {
        if (copying().count(use.name) > 0) moving += use.self_ns;
    }
    const double inside = in_operators_ns(trace);
    const double whole = whole_ns(trace);
    return {
        {"active", (inside - moving) / whole},
        {"data_movement", moving / whole},
        {"idle", (whole - inside) / whole},
        {"wall_time_ns", wall_ns},
        {"traced_wall_time_ns", trace.wall_ns}};
}

}  // namespace vigil_bench
