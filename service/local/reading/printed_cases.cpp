#include "service/local/reading/printed_cases.hpp"

#include <string_view>
#include <unordered_map>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/local/reading/harness_output.hpp"

namespace vigil::local {

namespace {

/// The reading of one benchmark that the order means; the first one, until there is such.
struct Chosen {
    const harness::Reading* reading;
    bool is_wanted;
};

PrintedCase read_case(const harness::Reading& reading, const Order& order) {
    PrintedCase one;
    one.name = reading.benchmark;
    one.quantity = reading.quantity;
    one.unit = unit_shown(reading);
    one.kind = kind_of(reading.metric);
    try {
        const bool turned = order.direction == Direction::higher_is_better;
        one.direction = turned ? order.direction : direction_of(reading, order);
        one.value = value_in(reading, may_be_zero(one.kind, one.direction));
    } catch (const Error& error) {
        one.problem = text::one_line(error.what(), 300);
    }
    return one;
}

}  // namespace

PrintedCases cases_in(const harness::SelfSizing& seen, const Order& order) {
    std::vector<Chosen> chosen;
    std::unordered_map<std::string_view, std::size_t> places;
    for (const auto& reading : seen.report->readings) {
        const bool wanted = is_wanted(reading, order);
        const auto [at, is_new] = places.emplace(reading.benchmark, chosen.size());
        if (is_new) {
            chosen.push_back({&reading, wanted});
        } else if (wanted && !chosen[at->second].is_wanted) {
            chosen[at->second] = {&reading, true};
        }
    }
    // Of a benchmark that is measured in operations a second, that is its time turned round.
    const bool any = order.measure == Measure::time;
    std::erase_if(chosen, [&](const Chosen& one) { return !one.is_wanted && !any; });
    PrintedCases printed;
    for (const auto& one : chosen) {
        if (printed.cases.size() == most_cases) break;
        printed.cases.push_back(read_case(*one.reading, order));
    }
    printed.left_out = static_cast<std::int64_t>(chosen.size() - printed.cases.size());
    return printed;
}

}  // namespace vigil::local
