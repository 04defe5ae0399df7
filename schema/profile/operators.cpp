#include "schema/profile/operators.hpp"

#include <algorithm>
#include <cmath>
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
    return read;
}

Profile by_bytes(Profile operators) {
    operators.unit = CostUnit::operator_bytes;
    operators.total = operators.allocated;
    for (auto& one : operators.functions) one.cost = one.bytes;
    return operators;
}

}  // namespace vigil::profile
