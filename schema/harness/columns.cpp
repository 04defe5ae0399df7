#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "schema/harness/csv_table.hpp"
#include "schema/harness/text_readers.hpp"
#include "schema/model/error.hpp"
#include "schema/text/times.hpp"

namespace vigil::harness {

namespace {

const std::initializer_list<std::string_view> names = {"benchmark", "name"};

/// Columns that tell benchmarks apart beside their names.
constexpr std::array<std::string_view, 19> parts = {
    "variant",
    "device",
    "dtype",
    "precision",
    "mode",
    "backend",
    "compiler",
    "runtime",
    "job",
    "config",
    "threads",
    "batch",
    "batch_size",
    "size",
    "input",
    "params",
    "dataset",
    "parameters",
    "shape"};
const std::initializer_list<std::string_view> times = {"time", "timestamp", "date", "night"};

const std::initializer_list<std::string_view> quantities = {"quantity", "metric"};
const std::initializer_list<std::string_view> revisions = {"revision", "commit"};
const std::initializer_list<std::string_view> environments = {"environment", "env"};

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

/// @param own  those of `parts` that the table has
void read_row(const CsvTable& table, const std::vector<std::string_view>& own, Collector& into) {
    std::vector<std::pair<std::string, std::string>> told;
    for (const auto part : own) told.emplace_back(part, table.cell({part}));
    const auto plain = table.cell(names);
    const ReadingName name{
        plain.empty() ? plain : with_parts(plain, told),
        table.cell(quantities),
        table.cell({"definition"}),
        plain};
    const auto unit = table.cell({"unit"});
    ReadingKind kind;
    if (const auto said = table.cell({"direction"}); !said.empty()) {
        const auto direction = find_enum<Direction>(said);
        if (!direction) {
            table.refuse({"direction"}, "must be lower_is_better or higher_is_better, or empty");
        }
        kind.direction = *direction;
    }
    if (const auto value = table.number({"value"})) {
        into.add(name, unit, *value, kind);
    } else {
        into.add_failure(name, unit, "no reason given", kind);
    }
}

/// Columns that say something of a value and that nobody reads: what they tell apart falls
/// together.
std::string unread_columns(const CsvTable& table) {
    std::set<std::string_view> known(parts.begin(), parts.end());
    for (const auto& list : {names, times, quantities, revisions, environments}) {
        known.insert(list.begin(), list.end());
    }
    known.insert({"value", "unit", "direction", "definition", "machine", ""});
    std::string unread;
    for (const auto& column : table.columns()) {
        if (known.contains(column)) continue;
        unread += (unread.empty() ? "'" : ", '") + column + "'";
    }
    return unread;
}

}  // namespace

constexpr std::size_t most_reports = 100'000;

std::vector<Report> read_columns(std::string_view text, const std::string& file) {
    CsvTable table(text, file);
    std::vector<Collector> collectors;
    std::map<Occasion, std::size_t> places;
    Collector broken(Harness::csv);  // rows that are of no report
    std::vector<std::string_view> own;
    std::ranges::copy_if(parts, std::back_inserter(own), [&](std::string_view part) {
        return std::ranges::count(table.columns(), part) > 0;
    });
    while (table.next()) {
        broken.row(table.place(), "", [&] {
            table.check_cells();
            const Occasion occasion{
                table.cell(revisions),
                table.cell(times),
                table.cell({"machine"}),
                table.cell(environments)};
            if (!places.contains(occasion)) {
                if (collectors.size() == most_reports) {
                    throw Error(
                        Errc::invalid_argument,
                        fmt::format("the file holds more than {} nights", most_reports));
                }
                collectors.push_back(begun(table, occasion));
                places[occasion] = collectors.size() - 1;
            }
            auto& into = collectors[places[occasion]];
            into.row(table.place(), "", [&] { read_row(table, own, into); });
        });
    }
    const auto unread = unread_columns(table);
    if (!unread.empty() && !collectors.empty()) broken.leave_out("not read: column " + unread);
    std::vector<Report> reports;
    for (auto& one : collectors) reports.push_back(one.finish());
    if (reports.empty()) reports.emplace_back();
    auto told = broken.finish();
    auto& first = reports.front();
    first.left_out.insert(first.left_out.begin(), told.left_out.begin(), told.left_out.end());
    first.left_out_count += told.left_out_count;
    return reports;
}

}  // namespace vigil::harness
