#include "worker/bench/operators/operators_night.hpp"

#include <nlohmann/json.hpp>

namespace vigil_bench {

std::size_t first_of_night(std::size_t count, std::int64_t night, std::size_t each) {
    if (count == 0 || each >= count) return 0;
    const auto nights = (count + each - 1) / each;
    return static_cast<std::size_t>(night) % nights * each;
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
