#include <algorithm>
#include <array>
#include <iterator>
#include <list>
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

/// @param fresh  its report
void begin_report(const CsvTable& table, const Occasion& occasion, Collector& fresh) {
    const auto& [revision, time, machine, environment] = occasion;
    fresh.report.revision = revision;
    fresh.report.machine = machine;
    if (!environment.empty()) fresh.report.environment["environment"] = environment;
    if (time.empty()) return;
    fresh.report.time_s = text::parse_time(time);
    if (!fresh.report.time_s) {
        table.refuse(times, "must be a day like 2026-11-21 or a time like 2026-11-21T04:05:06Z");
    }
}

/// The reports of one table, each begun by its first row.
class Occasions {
  public:
    Occasions(const CsvTable& table, std::size_t most, text::ReadBudget& budget)
        : table_(table), most_(most), budget_(budget) {}

    Collector& of(const Occasion& occasion) {
        const auto found = places_.find(occasion);
        if (found != places_.end()) return *found->second;
        if (collectors_.size() == most_) {
            throw text::BudgetError(fmt::format("it holds more than {} nights; split it", most_));
        }
        // Its texts are here and in the report.
        const auto texts = std::apply(
            [](const auto&... text) { return (text::heap_bytes(text) + ...); }, occasion);
        budget_.make(2 * texts + sizeof occasion + 2 * text::tree_bytes);
        auto& fresh = collectors_.emplace_back(Harness::csv, budget_);
        try {
            begin_report(table_, occasion, fresh);
        } catch (const Error&) {
            collectors_.pop_back();
            throw;
        }
        places_.emplace(occasion, &fresh);
        return fresh;
    }

    std::vector<Report> finish() {
        places_.clear();
        std::vector<Report> reports;
        for (; !collectors_.empty(); collectors_.pop_front()) {
            text::make_room(reports, budget_);
            reports.push_back(collectors_.front().finish());
        }
        return reports;
    }

  private:
    const CsvTable& table_;
    std::size_t most_;
    text::ReadBudget& budget_;
    std::list<Collector> collectors_;
    std::map<Occasion, Collector*> places_;
};

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

std::vector<Report> read_columns(
    std::string_view text,
    const std::string& file,
    std::size_t most_reports,
    text::ReadBudget& budget) {
    CsvTable table(text, file);
    Occasions occasions(table, most_reports, budget);
    Collector broken(Harness::csv, budget);  // rows that are of no report
    std::vector<std::string_view> own;
    std::ranges::copy_if(parts, std::back_inserter(own), [&](std::string_view part) {
        return std::ranges::count(table.columns(), part) > 0;
    });
    while (table.next()) {
        broken.row(table.place(), "", [&] {
            table.check_cells();
            auto& into = occasions.of(
                {table.cell(revisions),
                 table.cell(times),
                 table.cell({"machine"}),
                 table.cell(environments)});
            into.row(table.place(), "", [&] { read_row(table, own, into); });
        });
    }
    auto reports = occasions.finish();
    const auto unread = unread_columns(table);
    if (!unread.empty() && !reports.empty()) broken.leave_out("not read: column " + unread);
    if (reports.empty()) reports.emplace_back();
    auto told = broken.finish();
    auto& first = reports.front();
    first.left_out.insert(first.left_out.begin(), told.left_out.begin(), told.left_out.end());
    first.left_out_count += told.left_out_count;
    return reports;
}

}  // namespace vigil::harness
