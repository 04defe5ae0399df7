#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/facts.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/text/characters.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

using wire::Item;
using wire::ObjectReader;

void read_jmh_metric(const Item& item, const ReadingName& name, Collector& into) {
    ObjectReader metric(item);
    const auto unit = fitting(metric.text("scoreUnit"));
    for (const auto& fork : metric.items_or_none("rawData")) {
        for (const auto& sample : wire::items_of(fork)) {
            // A null stands where JMH had no number.
            if (sample.value->is_number()) into.add(name, unit, wire::number_of(sample));
        }
    }
    if (metric.find("score") && metric.item("score").value->is_number()) {
        into.add_summary(name, unit, metric.number("score"));
    }
    // Of mode "sample" JMH says how single calls were spread, and nothing else does.
    if (!metric.has("rawDataHistogram")) return;
    for (const char* percentile : {"50.0", "90.0", "95.0", "99.0", "99.9"}) {
        for (const auto& [key, value] : metric.members("scorePercentiles")) {
            if (key != percentile || !value.value->is_number()) continue;
            auto one = name;
            one.quantity = name.quantity + " p" + key.substr(0, key.ends_with(".0") ? 2 : 4);
            into.add_summary(one, unit, wire::number_of(value));
        }
    }
}

/// A path without "/bin/java", and of each version only its first number: "jdk-17.0.8+7" is
/// "jdk-17", so that a patch of Java begins no series. 1.8 is 1.8.
std::string plain_jvm(std::string path) {
    for (const std::string_view end : {".exe", "/bin/java", "\\bin\\java"}) {
        if (path.ends_with(end)) path.resize(path.size() - end.size());
    }
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::string plain;
    for (std::size_t i = 0; i < path.size();) {
        if (!is_digit(path[i])) {
            plain += path[i++];
            continue;
        }
        std::string number;
        while (i < path.size() && is_digit(path[i])) number += path[i++];
        plain += number;
        bool kept = number != "1";
        while (i + 1 < path.size() &&
               std::string_view("._-+u").find(path[i]) != std::string::npos &&
               is_digit(path[i + 1])) {
            if (!kept) plain += path[i];
            for (++i; i < path.size() && is_digit(path[i]); ++i) {
                if (!kept) plain += path[i];
            }
            kept = true;
        }
    }
    return plain;
}

/// Arguments that say how Java runs: its heap, its collector. Properties that name a place on the
/// machine or are Java's own tell of the surroundings.
std::string plain_arguments(ObjectReader& entry) {
    std::string all;
    for (const auto& item : entry.items_or_none("jvmArgs")) {
        const auto said = fact_of(*item.value);
        const bool is_property = said.starts_with("-D");
        bool is_own = said.find('/') != said.npos || said.find('\\') != said.npos;
        for (const auto* own : {"-Djava.", "-Duser.", "-Dfile.", "-Dsun.", "-Djdk."}) {
            is_own = is_own || said.starts_with(own);
        }
        if (said.empty() || (is_own && (is_property || said.starts_with("-javaagent")))) continue;
        all += (all.empty() ? "" : " ") + said;
    }
    return all;
}

ReadingName jmh_name(ObjectReader& entry) {
    auto name = entry.text("benchmark");
    std::string parameters;
    for (const auto& [key, value] : entry.members("params")) {
        parameters +=
            fmt::format("{}{}={}", parameters.empty() ? "" : ",", key, fact_of(*value.value));
    }
    if (!parameters.empty()) name += "(" + parameters + ")";
    const auto threads = entry.find("threads");
    const auto many = threads ? fact_of(*threads->value) : "";
    const auto jvm = entry.find("jvm");
    return {
        with_parts(
            name,
            {{"threads", many == "1" ? "" : many},
             {"jvm", jvm ? plain_jvm(fact_of(*jvm->value)) : ""},
             {"", plain_arguments(entry)}}),
        "",
        "",
        name};
}

}  // namespace

void read_jmh(const nlohmann::json& file, Collector& into) {
    for (const auto& item : wire::items_of({&file, "file"})) {
        into.row(item.path, [&] {
            ObjectReader entry(item);
            auto name = into.fit(jmh_name(entry));
            name.quantity = fitting(entry.text_or("mode", ""));
            read_jmh_metric(entry.item("primaryMetric"), name, into);
            for (const auto& [quantity, metric] : entry.members("secondaryMetrics")) {
                name.quantity = into.fit({"", quantity}).quantity;
                read_jmh_metric(metric, name, into);
            }
            note_facts(*item.value, {"jdkVersion", "vmName", "jmhVersion"}, into.report);
        });
    }
}

}  // namespace vigil::harness
