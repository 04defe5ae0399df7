#include "schema/harness/csv_table.hpp"
#include "schema/harness/dynamo_name.hpp"
#include "schema/harness/text_readers.hpp"

namespace vigil::harness {

namespace {

struct DynamoColumn {
    std::string_view name;
    const char* quantity;  ///< empty: what is there to be measured
    const char* unit;
    ReadingKind kind = {};
};

constexpr ReadingKind grows{.direction = Direction::higher_is_better};

constexpr DynamoColumn dynamo_columns[] = {
    {"abs_latency", "", "ms"},
    {"speedup", dynamo_speedup, ""},
    {"compilation_latency", dynamo_compile_time, "s"},
    {"compression_ratio", dynamo_compression, "", grows},
    {"eager_peak_mem", dynamo_eager_peak, ""},
    {"dynamo_peak_mem", dynamo_peak, ""},
};

/// How a row's model was run: as the row says, else as the file's name does.
std::string told_by_row(const CsvTable& table, const std::string& file_says) {
    std::string told;
    for (const std::string_view column :
         {"compiler", "backend", "suite", "dtype", "precision", "mode"}) {
        const auto said = table.cell({column});
        if (!said.empty()) told += (told.empty() ? "" : " ") + said;
    }
    if (told.empty()) told = file_says;
    const auto tag = table.cell({"tag"});
    return told + (told.empty() || tag.empty() ? "" : " ") + tag;
}

/// "pass" is the value 1; another word but for what was skipped is a failure.
void read_accuracy(
    const std::string& said, ReadingName name, const std::string& family, Collector& into) {
    name.quantity = dynamo_accuracy;
    if (said == "pass") return into.add(name, "", 1, grows);
    if (said.starts_with("pass") || said.find("skip") != said.npos) return;
    into.add_failure(name, "", said, grows, family);
}

void read_model(const CsvTable& table, const std::string& file_says, Collector& into) {
    table.check_cells();
    const auto batch = table.cell({"batch_size"});
    const auto model = table.cell({"name"}) + "/" + table.cell({"dev"});
    const auto how = told_by_row(table, file_says);
    const auto family = model + (how.empty() ? "" : "/" + how) + "/batch ";
    // Of a model that died the row says neither its batch nor anything else.
    const bool has_died = batch.empty() || batch == "0" || batch == "-1";
    ReadingName name{family + batch, "", "", model + "/batch " + batch};
    if (has_died) name = {family.substr(0, family.rfind('/'))};
    name = into.fit(name);
    const auto accuracy = table.cell({"accuracy"});
    if (!accuracy.empty()) {
        read_accuracy(accuracy, name, has_died ? family : "", into);
    } else if (has_died) {
        into.add_failure(name, "ms", "the model did not run", {}, family);
        return;
    }
    for (const auto& [column, quantity, unit, kind] : dynamo_columns) {
        const auto value = table.number({column});
        if (!value) continue;
        ReadingName one = name;
        one.quantity = quantity;
        // What did not run is a zero.
        if (*value == 0) {
            into.add_failure(one, unit, "it did not run: 0", kind);
        } else {
            into.add(one, unit, *value, kind);
        }
    }
}

}  // namespace

void read_dynamo(std::string_view text, const std::string& file, Collector& into) {
    CsvTable table(text, file);
    const auto file_says = told_by_file(into.file_name());
    while (table.next()) into.row(table.place(), [&] { read_model(table, file_says, into); });
}

}  // namespace vigil::harness
