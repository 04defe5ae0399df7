#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/facts.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

using nlohmann::json;
using wire::Item;
using wire::ObjectReader;

/// @param tool   which way is better, where the file says it
/// @param suite  empty: the file has none
void read_benches(
    const std::vector<Item>& items,
    const std::string& tool,
    const std::string& suite,
    Collector& into) {
    ReadingKind kind;
    if (tool == "customSmallerIsBetter") kind.direction = Direction::lower_is_better;
    if (tool == "customBiggerIsBetter") kind.direction = Direction::higher_is_better;
    for (const auto& item : items) {
        into.row(item.path, [&] {
            ObjectReader bench(item);
            const auto unit = bench.text_or("unit", "");
            const auto plain = bench.text("name");
            const ReadingName name{with_parts(plain, {{"suite", suite}}), "", "", plain};
            into.add(name, unit, bench.number("value"), kind);
        });
    }
}

/// One push of a data.js.
Report read_push(const Item& item, const std::string& suite, text::ReadBudget& budget) {
    Collector collector(Harness::github_action_benchmark, budget);
    ObjectReader push(item);
    if (const auto commit = push.find("commit")) {
        collector.report.revision = fact_in(*commit->value, "id");
    }
    if (push.has("date")) collector.report.time_s = push.integer("date") / 1000;
    read_benches(push.items("benches"), push.text_or("tool", ""), suite, collector);
    return collector.finish();
}

}  // namespace

std::vector<Report> read_github_action_benchmark(
    const json& file, std::size_t most_reports, text::ReadBudget& budget) {
    if (file.is_array()) {
        Collector collector(Harness::github_action_benchmark, budget);
        read_benches(wire::items_of({&file, "file"}), "", "", collector);
        std::vector<Report> reports;
        reports.push_back(collector.finish());
        return reports;
    }
    std::vector<Report> reports;
    for (const auto& [suite, pushes] : ObjectReader(file, "file").members("entries")) {
        for (const auto& push : wire::items_of(pushes)) {
            if (reports.size() == most_reports) {
                throw text::BudgetError(
                    fmt::format("it holds more than {} nights; split it", most_reports));
            }
            text::make_room(reports, budget);
            reports.push_back(read_push(push, suite, budget));
        }
    }
    return reports;
}

}  // namespace vigil::harness
