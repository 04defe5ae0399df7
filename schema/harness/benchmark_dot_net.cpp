#include <nlohmann/json.hpp>

#include "schema/harness/json_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

using wire::ObjectReader;

void read_benchmark_dot_net(const nlohmann::json& file, Collector& into) {
    ObjectReader reader(file, "file");
    if (auto host = reader.find_object("HostEnvironmentInfo")) {
        for (const char* fact : {"OsVersion", "ProcessorName", "RuntimeVersion", "Architecture"}) {
            const auto value = host->text_or(fact, "");
            if (!value.empty()) into.report.environment[fact] = value;
        }
    }
    for (const auto& item : reader.items("Benchmarks")) {
        ObjectReader entry(item);
        const ReadingName name{entry.text("FullName")};
        auto statistics = entry.find_object("Statistics");
        if (!statistics) {
            into.add_failure(name, "ns");
            continue;
        }
        for (const auto& sample : statistics->items_or_none("OriginalValues")) {
            into.add(name, "ns", wire::number_of(sample));
        }
        into.add_summary(
            name, "ns", statistics->number(statistics->has("Median") ? "Median" : "Mean"));
        auto memory = entry.find_object("Memory");
        if (!memory || !memory->has("BytesAllocatedPerOperation")) continue;
        into.add_summary(
            {name.benchmark, "allocated"}, "B/op", memory->number("BytesAllocatedPerOperation"));
    }
}

}  // namespace vigil::harness
