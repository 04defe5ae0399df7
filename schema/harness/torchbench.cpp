#include <nlohmann/json.hpp>

#include "schema/harness/facts.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/harness/units.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

using wire::ObjectReader;

void read_torchbench(const nlohmann::json& file, Collector& into) {
    ObjectReader reader(file, "file");
    const auto suite = into.fit({reader.text_or("name", "")}).benchmark;
    const auto environ = reader.item("environ");
    into.report.revision = fact_in(*environ.value, "pytorch_git_version");
    note_facts(*environ.value, {"pytorch_version", "device", "python_version"}, into.report);
    for (const auto& [metric, value] : reader.members("metrics")) {
        const auto name = into.fit({metric, suite});
        const ReadingKind kind{
            .metric = {}, .direction = direction_of("", "", name.benchmark), .is_reported = true};
        if (value.value->is_number()) {
            const auto number = wire::number_of(value);
            into.row(value.path, [&] { into.add(name, "", number, kind); });
        } else {
            into.row(value.path, [&] { into.add_failure(name, "", "no reason given", kind); });
        }
    }
}

}  // namespace vigil::harness
