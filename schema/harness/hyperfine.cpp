#include <nlohmann/json.hpp>

#include "schema/harness/json_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

using wire::Item;
using wire::ObjectReader;

bool has_passed(const std::vector<Item>& codes, std::size_t run) {
    return run >= codes.size() || codes[run].value->is_null() || wire::integer_of(codes[run]) == 0;
}

}  // namespace

void read_hyperfine(const nlohmann::json& file, Collector& into) {
    for (const auto& item : ObjectReader(file, "file").items("results")) {
        ObjectReader entry(item);
        const ReadingName name{entry.text("command")};
        const auto times = entry.items_or_none("times");
        const auto codes = entry.items_or_none("exit_codes");
        const auto peaks = entry.items_or_none("memory_usage_byte");
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (!has_passed(codes, i)) {
                into.add_failure(name, "s", "the measured command failed");
                into.reading(name, "s").of_failed.push_back(wire::number_of(times[i], measurable));
                continue;
            }
            into.add(name, "s", wire::number_of(times[i], measurable));
            if (i >= peaks.size()) continue;
            const ReadingName peak{name.benchmark, "peak memory"};
            into.reading(peak, "bytes").metric = Metric::peak_process_bytes;
            into.add(peak, "bytes", wire::number_of(peaks[i]));
        }
        const double cpu = entry.number_or("user", 0) + entry.number_or("system", 0);
        if (cpu > 0) {
            into.add_summary({name.benchmark, "CPU time"}, "s", cpu);
            into.reading({name.benchmark, "CPU time"}, "s").metric = Metric::cpu_time_ns;
        }
        if (times.empty()) {
            into.add_summary(
                name, "s", entry.number(entry.has("median") ? "median" : "mean", measurable));
        }
    }
}

}  // namespace vigil::harness
