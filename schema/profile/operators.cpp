#include "schema/profile/operators.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/profile/fold.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::profile {

namespace {

constexpr std::size_t most_operator_bytes = 1000;
constexpr std::size_t most_operators = 20'000;
constexpr std::size_t most_iterations = 1'000'000;
constexpr std::size_t most_callers = 10;
constexpr wire::NumberRange allowed_costs{0, static_cast<double>(most_cost)};

std::int64_t whole(double value) {
    return std::llround(std::clamp(value, allowed_costs.low, allowed_costs.high));
}

Function parse_operator(const wire::Item& item, std::int64_t iterations) {
    wire::ObjectReader in(item);
    Function one;
    one.name = text::one_line(in.text("name"), most_operator_bytes);
    one.cost = whole(in.number("self_ns"));
    const wire::IntegerRange range{0, most_cost};
    const auto calls = sum(in.integer("forward", range), in.integer("backward", range));
    one.calls = (calls + iterations / 2) / iterations;
    one.bytes = whole(in.number("bytes"));
    for (const auto& shapes : in.texts_or_none("shapes", max_shapes)) {
        one.shapes.push_back(text::one_line(shapes, most_operator_bytes));
    }
    return one;
}

/// The memory of one operator, or of what no operator allocated.
Function parse_memory(const wire::Item& item) {
    wire::ObjectReader in(item);
    const wire::IntegerRange range{0, most_cost};
    Function one;
    one.name = text::one_line(in.text("name"), most_operator_bytes);
    one.is_own = !one.name.starts_with('(');
    one.cost = in.integer("peak_bytes", range);
    one.calls = in.integer("peak_blocks", range);
    one.grown = in.integer("grown_bytes", {-most_cost, most_cost});
    for (const auto& caller : in.items_or_none("callers", most_callers)) {
        wire::ObjectReader of(caller);
        one.libraries.push_back(
            {text::one_line(of.text("name"), most_operator_bytes),
             of.integer("peak_bytes", range)});
    }
    return one;
}

/// With what else is known of each operator.
void turn_into_peaks(Profile& profile) {
    std::map<std::string, const Function*> timed;
    for (const auto& one : profile.functions) timed.emplace(one.name, &one);
    profile.unit = CostUnit::operator_peak_bytes;
    profile.total = 0;
    for (auto& one : profile.memory) {
        profile.total = sum(profile.total, one.cost);
        const auto found = timed.find(one.name);
        if (found == timed.end()) continue;
        one.bytes = found->second->bytes;
        one.shapes = found->second->shapes;
    }
    profile.functions = std::move(profile.memory);
    profile.memory.clear();
}

void turn_into_bytes(Profile& profile) {
    profile.unit = CostUnit::operator_bytes;
    profile.total = profile.allocated;
    for (auto& one : profile.functions) one.cost = one.bytes;
}

}  // namespace

Profile read_operators(std::string_view output) {
    output = text::trimmed(output);
    const auto line = output.substr(output.rfind('\n') == output.npos ? 0 : output.rfind('\n') + 1);
    text::ReadBudget budget(line.size());
    wire::JsonLimits limits;
    limits.max_bytes = line.size();
    limits.budget = &budget;
    const auto value = wire::parse_json(line, "what vigil-bench printed", limits);
    wire::ObjectReader whole_output(value, "output");
    auto info = whole_output.object("info");
    if (info.text_or("device", "cpu").starts_with("cuda")) {
        throw Error(
            Errc::invalid_argument,
            "it ran on a GPU, where operators return before their work ends");
    }
    auto profile = info.find_object("profile");
    if (!profile) {
        throw Error(
            Errc::invalid_argument, "it printed no operators: it is older than what asks for them");
    }
    if (const auto absent = profile->find_text("absent")) {
        throw Error(Errc::invalid_argument, "its operators: " + text::one_line(*absent));
    }
    const auto iterations = profile->integer("iterations", {1, most_iterations});
    Profile read;
    read.unit = CostUnit::operator_ns;
    for (const auto& item : profile->items("operators", most_operators)) {
        read.functions.push_back(parse_operator(item, iterations));
    }
    Function outside;
    outside.name = "(in no operator)";
    outside.is_own = false;
    outside.cost = whole(profile->number("outside_ns"));
    read.functions.push_back(std::move(outside));
    for (const auto& one : read.functions) {
        read.total = sum(read.total, one.cost);
        read.allocated = sum(read.allocated, one.bytes);
    }
    if (read.total <= 0) throw Error(Errc::invalid_argument, "its operators took no time");
    keep_largest(read.functions);
    // Without it, and where it is said to be absent, there is what operators ask for.
    if (auto memory = profile->find_object("memory")) {
        for (const auto& item : memory->items_or_none("operators", most_operators)) {
            read.memory.push_back(parse_memory(item));
        }
        keep_largest(read.memory);
    }
    return read;
}

void by_memory(Profile& before, Profile& after) {
    const bool is_known = !before.memory.empty() && !after.memory.empty();
    for (auto* side : {&before, &after}) {
        if (is_known) {
            turn_into_peaks(*side);
        } else {
            turn_into_bytes(*side);
        }
    }
}

}  // namespace vigil::profile
