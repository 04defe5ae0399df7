#include "worker/bench/operators/profile.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "worker/bench/operators/profile_text.hpp"

namespace vigil_bench {

namespace {

using nlohmann::json;

constexpr std::size_t rows_of_table = 15;
constexpr std::size_t most_bars = 200'000;

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

}  // namespace

json profile_of(const OperatorTrace& trace, int iterations, const Peaks& peaks) {
    const double n = iterations;
    const double whole = whole_ns(trace);
    json operators = json::array();
    for (const auto* use : longest_first(trace)) {
        json row = roofline_json(divided(use->work, n), use->total_ns / n, peaks);
        row.erase("peaks");
        row.update(
            {{"name", use->name},
             {"forward", use->forward},
             {"backward", use->backward},
             {"self_ns", use->self_ns / n},
             {"share", use->self_ns / whole},
             {"total_ns", use->total_ns / n},
             {"bytes", static_cast<double>(use->bytes) / n},
             {"shapes", use->shapes}});
        operators.push_back(std::move(row));
    }
    return {
        {"iterations", iterations},
        {"wall_time_ns", trace.wall_ns / n},
        {"outside_ns", (whole - in_operators_ns(trace)) / n},
        {"unknown_share", trace.unknown_ns / whole},
        {"registered", trace.registered},
        {"operators", std::move(operators)}};
}

std::string profile_table(const OperatorTrace& trace, int iterations) {
    const auto uses = longest_first(trace);
    const double whole = whole_ns(trace);
    char line[200];
    const auto row = [&](const std::string& name,
                         const std::string& calls,
                         const std::string& self,
                         const std::string& share,
                         const std::string& rate) {
        std::snprintf(
            line,
            sizeof line,
            "  %-44.44s %10.10s %12.12s %8.8s %10.10s\n",
            name.c_str(),
            calls.c_str(),
            self.c_str(),
            share.c_str(),
            rate.c_str());
        return std::string(line);
    };
    const auto each = [&](double ns) { return time_text(ns / iterations); };
    std::string table = row("operator", "calls", "self", "share", "FLOP/s");
    double shown = 0;
    for (std::size_t i = 0; i < std::min(rows_of_table, uses.size()); ++i) {
        const auto& use = *uses[i];
        const double rate = use.total_ns > 0 ? use.work.flops() * 1e9 / use.total_ns : 0;
        table +=
            row(use.name,
                std::to_string((use.forward + use.backward) / iterations),
                each(use.self_ns),
                percent_text(use.self_ns / whole),
                rate > 0 ? amount_text(rate) : "");
        shown += use.self_ns;
    }
    const double others = in_operators_ns(trace) - shown;
    const double outside = whole - in_operators_ns(trace);
    if (uses.size() > rows_of_table) {
        const auto name = std::to_string(uses.size() - rows_of_table) + " others";
        table += row(name, "", each(others), percent_text(others / whole), "");
    }
    return table + row("in no operator", "", each(outside), percent_text(outside / whole), "");
}

json chrome_trace(const OperatorTrace& trace, const ModuleProfile& modules) {
    json events = json::array();
    for (std::size_t i = 0; i < std::min(most_bars, trace.events.size()); ++i) {
        const auto& event = trace.events[i];
        auto bar =
            complete_event("operator", trace.uses[event.use].name, event.start_ns, event.end_ns, 1);
        if (event.flops > 0) bar["args"] = {{"flops", event.flops}};
        events.push_back(std::move(bar));
    }
    add_module_events(trace, modules, events);
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
