#include "worker/bench/operators/operators_night.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

namespace vigil_bench {

std::vector<std::size_t> operators_of_night(
    std::size_t count, std::int64_t night, std::size_t each) {
    if (count == 0) return {};
    const auto day = static_cast<std::size_t>(std::max<std::int64_t>(night, 0));
    const auto parts = (count + each - 1) / each;
    const auto first = day % parts * each;
    std::vector<std::size_t> order(std::min(each, count - first));
    std::iota(order.begin(), order.end(), first);
    // Multiples of the golden ratio: the beginnings of any few rounds lie far from one another.
    constexpr double golden = 0.6180339887498949;
    const double turns = static_cast<double>(day / parts) * golden;
    const double place = (turns - std::floor(turns)) * static_cast<double>(order.size());
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(place);
    std::rotate(order.begin(), begin, order.end());
    return order;
}

nlohmann::json google_benchmarks(const std::vector<MeasuredCall>& calls, nlohmann::json context) {
    auto entries = nlohmann::json::array();
    for (const auto& call : calls) {
        nlohmann::json entry{
            {"name", call.name},
            {"run_name", call.name},
            {"run_type", "iteration"},
            {"repetitions", call.cpu_time_ns.size()},
            {"time_unit", "ns"}};
        if (!call.failure.empty()) {
            entry["error_occurred"] = true;
            entry["error_message"] = call.failure;
            entries.push_back(std::move(entry));
        }
        for (std::size_t i = 0; i < call.cpu_time_ns.size(); ++i) {
            entry["repetition_index"] = i;
            entry["iterations"] = 1;
            entry["real_time"] = call.wall_time_ns[i];
            entry["cpu_time"] = call.cpu_time_ns[i];
            entries.push_back(entry);
        }
    }
    return {{"context", std::move(context)}, {"benchmarks", std::move(entries)}};
}

}  // namespace vigil_bench
