#include "schema/harness/csv_table.hpp"
#include "schema/harness/text_readers.hpp"

namespace vigil::harness {

void read_criterion_csv(std::string_view text, const std::string& file, Collector& into) {
    CsvTable table(text, file);
    while (table.next()) {
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
    }
}

}  // namespace vigil::harness
