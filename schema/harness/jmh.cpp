#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/json_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

using wire::Item;
using wire::ObjectReader;

void read_metric(const Item& item, const ReadingName& name, Collector& into) {
    ObjectReader metric(item);
    const auto unit = metric.text("scoreUnit");
    for (const auto& fork : metric.items_or_none("rawData")) {
        for (const auto& sample : wire::items_of(fork)) {
            // A null stands where JMH had no number.
            if (sample.value->is_number()) into.add(name, unit, wire::number_of(sample));
        }
    }
    if (metric.find("score") && metric.item("score").value->is_number()) {
        into.add_summary(name, unit, metric.number("score"));
    }
}

}  // namespace

void read_jmh(const nlohmann::json& file, Collector& into) {
    for (const auto& item : wire::items_of({&file, "file"})) {
        ObjectReader entry(item);
        auto name = entry.text("benchmark");
        std::string parameters;
        for (const auto& [key, value] : entry.members("params")) {
            parameters +=
                fmt::format("{}{}={}", parameters.empty() ? "" : ",", key, wire::text_of(value));
        }
        if (!parameters.empty()) name += "(" + parameters + ")";
        read_metric(entry.item("primaryMetric"), {name, entry.text_or("mode", "")}, into);
        for (const auto& [quantity, metric] : entry.members("secondaryMetrics")) {
            read_metric(metric, {name, quantity}, into);
        }
        for (const char* fact : {"jdkVersion", "vmName", "jmhVersion"}) {
            if (entry.has(fact)) into.report.environment[fact] = entry.text(fact);
        }
    }
}

}  // namespace vigil::harness
