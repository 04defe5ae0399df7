#include <nlohmann/json.hpp>

#include "schema/harness/json_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

using wire::ObjectReader;

void read_torchbench(const nlohmann::json& file, Collector& into) {
    ObjectReader reader(file, "file");
    const auto suite = reader.text("name");
    auto environ = reader.object("environ");
    into.report.revision = environ.text_or("pytorch_git_version", "");
    for (const char* fact : {"pytorch_version", "device", "python_version"}) {
        if (environ.has(fact)) into.report.environment[fact] = environ.text_or(fact, "");
    }
    for (const auto& [metric, value] : reader.members("metrics")) {
        const ReadingName name{metric, suite};
        if (value.value->is_number()) {
            into.add(name, "", wire::number_of(value));
        } else {
            into.add_failure(name, "");
        }
    }
}

}  // namespace vigil::harness
