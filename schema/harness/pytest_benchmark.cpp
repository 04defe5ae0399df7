#include <nlohmann/json.hpp>

#include "schema/harness/facts.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

using nlohmann::json;
using wire::ObjectReader;

namespace {

void read_machine_info(const json& machine, Report& report) {
    report.machine = fact_in(machine, "node");
    note_facts(machine, {"python_version", "python_implementation", "system", "machine"}, report);
    const auto cpu = machine.find("cpu");
    if (cpu == machine.end()) return;
    auto model = fact_in(*cpu, "brand_raw");
    if (model.empty()) model = fact_in(*cpu, "brand");
    if (model.empty()) model = fact_of(*cpu);
    if (!model.empty()) report.environment["cpu"] = model;
    const auto count = fact_in(*cpu, "count");
    if (!count.empty()) report.environment["cpus"] = count;
}

void read_test(const wire::Item& item, Collector& into) {
    ObjectReader entry(item);
    const auto name = into.fit({entry.text_or("fullname", entry.text_or("name", ""))}).benchmark;
    auto stats = entry.find_object("stats");
    if (!stats) {
        into.add_failure({name}, "s");
        return;
    }
    if (const auto data = stats->find("data")) {
        text::BudgetLoan loan(into.budget());
        into.budget().make(data->value->size() * sizeof(double));
        loan.end();
        const ReadingName of_samples{name, "", "", name};
        for (const double sample : wire::numbers_of(*data, measurable, max_readings)) {
            into.add(of_samples, "s", sample);
        }
    }
    into.add_summary({name}, "s", stats->number("median", measurable));
    for (const auto& [key, value] : entry.members("extra_info")) {
        if (value.value->is_number()) into.add({name, key}, "", wire::number_of(value));
    }
}

}  // namespace

void read_pytest_benchmark(const json& file, Collector& into) {
    ObjectReader reader(file, "file");
    if (auto machine = reader.find("machine_info"); machine && machine->value->is_object()) {
        read_machine_info(*machine->value, into.report);
    }
    if (auto commit = reader.find("commit_info")) {
        into.report.revision = fact_in(*commit->value, "id");
    }
    into.report.time_s = text::parse_time(reader.text_or("datetime", ""));
    for (const auto& item : reader.items("benchmarks")) {
        into.row(item.path, [&] { read_test(item, into); });
    }
}

}  // namespace vigil::harness
