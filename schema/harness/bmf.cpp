#include <nlohmann/json.hpp>

#include "schema/harness/json_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

using wire::ObjectReader;

void read_bmf(const nlohmann::json& file, Collector& into) {
    for (const auto& [name, item] : wire::members_of({&file, "file"})) {
        const auto benchmark = into.fit({name}).benchmark;
        const auto read = [&into, &benchmark](const std::string& measure, const wire::Item& said) {
            // The two measures that Bencher knows by itself have units.
            const char* unit = measure == "latency" ? "ns" : measure == "throughput" ? "ops/s" : "";
            into.add(
                {benchmark, measure == "latency" ? "" : measure},
                unit,
                ObjectReader(said).number("value"));
        };
        if (!item.value->is_object()) {
            into.leave_out(item.path + " must be an object of measures");
            continue;
        }
        for (const auto& [key, value] : wire::members_of(item)) {
            const auto& measure = key;
            const auto& said = value;
            into.row(said.path, [&] { read(measure, said); });
        }
    }
}

}  // namespace vigil::harness
