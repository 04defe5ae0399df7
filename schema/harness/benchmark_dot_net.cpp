#include <nlohmann/json.hpp>

#include "schema/harness/facts.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

using nlohmann::json;
using wire::ObjectReader;

/// "Shop.Parse.Small(n: 10)". Versions before 0.11 do not say it as one.
std::string full_name(const json& entry) {
    auto name = fact_in(entry, "FullName");
    if (!name.empty()) return name;
    for (const char* part : {"Namespace", "Type", "Method"}) {
        const auto said = fact_in(entry, part);
        if (!said.empty()) name += (name.empty() ? "" : ".") + said;
    }
    const auto parameters = fact_in(entry, "Parameters");
    if (!parameters.empty() && !name.empty()) name += "(" + parameters + ")";
    return name;
}

/// How it was run: "Shop.Parse.Small: .NET 8.0(Runtime=.NET 8.0) [n=10]" is of the job
/// ".NET 8.0(Runtime=.NET 8.0)". A job without a name of its own is called by its settings, the
/// default one by nothing.
std::string job_of(const json& entry) {
    auto job = fact_in(entry, "Job");
    if (job.empty()) {
        const auto said = fact_in(entry, "DisplayInfo");
        const auto begin = fact_in(entry, "Type") + "." + fact_in(entry, "MethodTitle") + ": ";
        const auto colon = said.find(": ");
        if (colon == said.npos) return "";
        job = said.substr(said.starts_with(begin) ? begin.size() : colon + 2);
    }
    const auto parameters = fact_in(entry, "Parameters");
    const auto key = parameters.substr(0, parameters.find('='));
    if (!key.empty() && job.ends_with(']')) job = job.substr(0, job.find(" [" + key + "="));
    if (job == "DefaultJob" || job.starts_with('[')) return "";
    const auto settings = job.find('(');
    if (!job.starts_with("Job-") || settings == job.npos || !job.ends_with(')')) return job;
    return job.substr(settings + 1, job.size() - settings - 2);
}

void read_method(const wire::Item& item, Collector& into) {
    ObjectReader entry(item);
    const auto plain = full_name(*item.value);
    const auto name = into.fit({with_parts(plain, {{"", job_of(*item.value)}}), "", "", plain});
    auto statistics = entry.find_object("Statistics");
    if (!statistics) {
        into.add_failure(name, "ns");
        return;
    }
    for (const auto& sample : statistics->items_or_none("OriginalValues")) {
        into.add(name, "ns", wire::number_of(sample));
    }
    into.add_summary(name, "ns", statistics->number(statistics->has("Median") ? "Median" : "Mean"));
    auto memory = entry.find_object("Memory");
    if (!memory || !memory->has("BytesAllocatedPerOperation")) return;
    into.add_summary(
        {name.benchmark, "allocated", "", name.former},
        "B/op",
        memory->number("BytesAllocatedPerOperation"));
}

}  // namespace

void read_benchmark_dot_net(const json& file, Collector& into) {
    ObjectReader reader(file, "file");
    if (const auto host = reader.find("HostEnvironmentInfo")) {
        note_facts(
            *host->value,
            {"OsVersion", "ProcessorName", "RuntimeVersion", "Architecture"},
            into.report);
    }
    for (const auto& item : reader.items("Benchmarks")) {
        into.row(item.path, [&] { read_method(item, into); });
    }
}

}  // namespace vigil::harness
