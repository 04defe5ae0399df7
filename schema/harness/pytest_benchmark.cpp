#include <nlohmann/json.hpp>

#include "schema/harness/json_readers.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

using wire::ObjectReader;

void read_pytest_benchmark(const nlohmann::json& file, Collector& into) {
    ObjectReader reader(file, "file");
    auto machine = reader.object("machine_info");
    into.report.machine = machine.text_or("node", "");
    for (const char* fact : {"python_version", "python_implementation", "system", "machine"}) {
        if (machine.has(fact)) into.report.environment[fact] = machine.text(fact);
    }
    if (auto commit = reader.find_object("commit_info")) {
        into.report.revision = commit->text_or("id", "");
    }
    into.report.time_s = text::parse_time(reader.text_or("datetime", ""));
    for (const auto& item : reader.items("benchmarks")) {
        ObjectReader entry(item);
        const ReadingName name{entry.text_or("fullname", entry.text("name"))};
        auto stats = entry.find_object("stats");
        if (!stats) {
            into.add_failure(name, "s");
            continue;
        }
        for (const auto& sample : stats->items_or_none("data", max_readings)) {
            into.add(name, "s", wire::number_of(sample, measurable));
        }
        into.add_summary(name, "s", stats->number("median", measurable));
    }
}

}  // namespace vigil::harness
