#include <nlohmann/json.hpp>

#include "schema/harness/json_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

using wire::ObjectReader;

void read_bmf(const nlohmann::json& file, Collector& into) {
    for (const auto& [benchmark, item] : wire::members_of({&file, "file"})) {
        for (const auto& [measure, said] : wire::members_of(item)) {
            // The two measures that Bencher knows by itself have units.
            const char* unit = measure == "latency" ? "ns" : measure == "throughput" ? "ops/s" : "";
            into.add(
                {benchmark, measure == "latency" ? "" : measure},
                unit,
                ObjectReader(said).number("value"));
        }
    }
}

}  // namespace vigil::harness
