#include <map>
#include <tuple>

#include <fmt/format.h>

#include "schema/harness/csv_table.hpp"
#include "schema/harness/text_readers.hpp"
#include "schema/model/error.hpp"
#include "schema/text/times.hpp"

namespace vigil::harness {

namespace {

const std::initializer_list<std::string_view> names = {"benchmark", "name"};
const std::initializer_list<std::string_view> times = {"time", "timestamp", "date", "night"};

/// Of one report: revision, time as written, machine, environment.
using Occasion = std::tuple<std::string, std::string, std::string, std::string>;

Collector begun(const CsvTable& table, const Occasion& occasion) {
    const auto& [revision, time, machine, environment] = occasion;
    Collector fresh(Harness::csv);
    fresh.report.revision = revision;
    fresh.report.machine = machine;
    if (!environment.empty()) fresh.report.environment["environment"] = environment;
    if (time.empty()) return fresh;
    fresh.report.time_s = text::parse_time(time);
    if (!fresh.report.time_s) {
        table.refuse(times, "must be a day like 2026-11-21 or a time like 2026-11-21T04:05:06Z");
    }
    return fresh;
}

void read_row(const CsvTable& table, Collector& into) {
    const ReadingName name{
        table.cell(names), table.cell({"quantity", "metric"}), table.cell({"definition"})};
    const auto unit = table.cell({"unit"});
    auto& reading = into.reading(name, unit);
    if (const auto said = table.cell({"direction"}); !said.empty()) {
        const auto direction = find_enum<Direction>(said);
        if (!direction) {
            table.refuse({"direction"}, "must be lower_is_better or higher_is_better");
        }
        reading.direction = *direction;
    }
    if (const auto value = table.number({"value"})) {
        into.add(name, unit, *value);
    } else {
        into.add_failure(name, unit);
    }
}

}  // namespace

std::vector<Report> read_columns(std::string_view text, const std::string& file) {
    CsvTable table(text, file);
    std::vector<Collector> collectors;
    std::map<Occasion, std::size_t> places;
    while (table.next()) {
        const Occasion occasion{
            table.cell({"revision", "commit"}),
            table.cell(times),
            table.cell({"machine"}),
            table.cell({"environment", "env"})};
        const auto [place, is_new] = places.try_emplace(occasion, collectors.size());
        if (is_new) collectors.push_back(begun(table, occasion));
        read_row(table, collectors[place->second]);
    }
    std::vector<Report> reports;
    for (auto& one : collectors) reports.push_back(std::move(one.report));
    return reports;
}

}  // namespace vigil::harness
