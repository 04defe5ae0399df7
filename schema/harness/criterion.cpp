#include <nlohmann/json.hpp>

#include "schema/harness/csv_table.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/harness/text_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

using wire::ObjectReader;

void read_criterion(const nlohmann::json& message, Collector& into) {
    ObjectReader reader(message, "message");
    if (reader.text_or("reason", "") != "benchmark-complete") return;
    const auto name = into.fit({reader.text("id")});
    const auto unit = fitting(reader.text_or("unit", "ns"));
    const auto counts = reader.items_or_none("iteration_count");
    const auto values = reader.items_or_none("measured_values");
    if (counts.size() != values.size()) {
        wire::refuse(reader.path("measured_values"), "must be as many as iteration_count");
    }
    // Each measured value is of so many iterations together.
    for (std::size_t i = 0; i < values.size(); ++i) {
        into.add(name, unit, wire::number_of(values[i]) / wire::number_of(counts[i], {1, 1e18}));
    }
    for (const char* middle : {"typical", "median", "mean"}) {
        auto estimate = reader.find_object(middle);
        if (!estimate) continue;
        into.add_summary(name, estimate->text_or("unit", unit), estimate->number("estimate"));
        return;
    }
}

void read_criterion_csv(std::string_view text, const std::string& file, Collector& into) {
    CsvTable table(text, file);
    const auto read = [&] {
        table.check_cells();
        std::string name;
        for (const std::string_view part : {"group", "function", "value"}) {
            const auto said = table.cell({part});
            if (!said.empty()) name += (name.empty() ? "" : "/") + said;
        }
        const auto measured = table.number({"sample_measured_value", "sample_time_nanos"});
        const auto count = table.number({"iteration_count"});
        if (!measured || !count || *count < 1) {
            table.refuse({"iteration_count"}, "a sample needs a value and at least 1 iteration");
        }
        const auto unit = table.cell({"unit"});
        into.add({name}, unit.empty() ? "ns" : unit, *measured / *count);
    };
    while (table.next()) into.row(table.place(), "", read);
}

}  // namespace vigil::harness
