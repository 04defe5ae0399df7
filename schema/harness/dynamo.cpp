#include "schema/harness/csv_table.hpp"
#include "schema/harness/text_readers.hpp"

namespace vigil::harness {

namespace {

struct DynamoColumn {
    std::string_view name;
    const char* quantity;  ///< empty: what is there to be measured
    const char* unit;
};

constexpr DynamoColumn dynamo_columns[] = {
    {"abs_latency", "", "ms"},
    {"speedup", "speedup", ""},
    {"compilation_latency", "compile time", "s"},
    {"compression_ratio", "compression ratio", ""},
    {"eager_peak_mem", "eager peak memory", ""},
    {"dynamo_peak_mem", "peak memory", ""},
};

}  // namespace

void read_dynamo(std::string_view text, const std::string& file, Collector& into) {
    CsvTable table(text, file);
    while (table.next()) {
        const auto name = table.cell({"name"}) + "/" + table.cell({"dev"}) + "/batch " +
                          table.cell({"batch_size"});
        for (const auto& [column, quantity, unit] : dynamo_columns) {
            const auto value = table.number({column});
            if (!value) continue;
            // A model that did not run has a row of zeros.
            if (*value == 0) {
                into.add_failure({name, quantity}, unit);
                continue;
            }
            into.add({name, quantity}, unit, *value);
            auto& reading = into.reading({name, quantity}, unit);
            if (reading.quantity == "compression ratio") {
                reading.direction = Direction::higher_is_better;
            }
        }
    }
}

}  // namespace vigil::harness
