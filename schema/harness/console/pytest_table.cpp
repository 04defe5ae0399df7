#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "schema/harness/console/readers.hpp"
#include "schema/harness/console/words.hpp"
#include "schema/text/characters.hpp"

namespace vigil::harness {

namespace {

struct PytestHead {
    std::string unit;
    LineWords columns;
    double rate = 1;  ///< of an OPS column, operations a second in one
};

struct PytestRow {
    std::string name;
    LineWords cells;
};

/// "Name (time in ms)   Min   Max   Mean ... OPS (Kops/s)  Rounds  Iterations".
std::optional<PytestHead> pytest_head(const LineWords& words) {
    if (words.size() < 5 || words[0] != "Name" || words[1] != "(time" || words[2] != "in") {
        return std::nullopt;
    }
    auto unit = words[3].substr(0, words[3].find(')'));
    if (!time_unit(unit)) return std::nullopt;
    PytestHead head{std::string(unit), {}};
    for (std::size_t i = 4; i < words.size(); ++i) {
        if (!words[i].starts_with('(')) {
            head.columns.push_back(words[i]);
        } else if (words[i].starts_with("(Kops")) {
            head.rate = 1e3;
        } else if (words[i].starts_with("(Mops")) {
            head.rate = 1e6;
        }
    }
    if (head.columns.empty()) return std::nullopt;
    return head;
}

/// "(1.27)", "(>1000.0)" and "(inf)": how a number compares with the others of its column.
bool is_relation(std::string_view word) {
    if (!word.starts_with('(') || !word.ends_with(')')) return false;
    word = word.substr(1, word.size() - 2);
    if (word.starts_with('>')) word.remove_prefix(1);
    return word == "inf" || word == "nan" || number_in(word).has_value();
}

std::optional<PytestRow> pytest_row(std::string_view line, const PytestHead& head) {
    auto words = words_of(line);
    std::erase_if(words, is_relation);
    if (words.size() <= head.columns.size()) return std::nullopt;
    const auto first = words.end() - static_cast<std::ptrdiff_t>(head.columns.size());
    PytestRow row{std::string(before(line, *first)), {first, words.end()}};
    if (!number_in(row.cells.front())) return std::nullopt;
    return row;
}

std::size_t cell_bytes(const LineWords& words) {
    return words.capacity() * sizeof words.front() + text::tree_bytes;
}

void take_pytest(const PytestRow& row, const PytestHead& head, Collector& into) {
    constexpr std::array<std::string_view, 5> times = {"Min", "Max", "Mean", "StdDev", "IQR"};
    const auto cell = [&](std::string_view column) -> std::optional<double> {
        const auto at = std::ranges::find(head.columns, column);
        if (at == head.columns.end()) return std::nullopt;
        return number_in(row.cells[static_cast<std::size_t>(at - head.columns.begin())]);
    };
    auto middle = cell("Median");
    if (!middle) middle = cell("Mean");
    if (middle) into.add_summary({row.name}, head.unit, *middle);
    for (const auto column : times) {
        if (const auto value = cell(column)) {
            into.add_summary({row.name, std::string(column)}, head.unit, *value);
        }
    }
    if (const auto rate = cell("OPS")) {
        into.add_summary({row.name, "OPS"}, "ops/s", *rate * head.rate);
    }
}

}  // namespace

void read_pytest_table(const ShownLines& lines, Collector& into) {
    constexpr std::string_view now = " (NOW)";
    auto& budget = into.budget();
    text::BudgetLoan loan(budget);
    std::shared_ptr<const PytestHead> head;
    std::vector<std::pair<PytestRow, std::shared_ptr<const PytestHead>>> rows;
    for (const auto line : lines) {
        if (auto found = pytest_head(words_of(line))) {
            budget.make(sizeof *head + text::tree_bytes + cell_bytes(found->columns));
            head = std::make_shared<const PytestHead>(std::move(*found));
        } else if (text::trimmed(line).empty()) {
            head.reset();
        } else if (head) {
            auto row = pytest_row(line, *head);
            if (!row) continue;
            text::make_room(rows, budget);
            budget.make(text::heap_bytes(row->name) + cell_bytes(row->cells));
            rows.emplace_back(std::move(*row), head);
        }
    }
    loan.end();
    const bool compares =
        std::ranges::any_of(rows, [&](const auto& one) { return one.first.name.ends_with(now); });
    for (auto& [row, of] : rows) {
        if (compares && !row.name.ends_with(now)) continue;
        if (compares) row.name.resize(row.name.size() - now.size());
        take_pytest(row, *of, into);
    }
}

}  // namespace vigil::harness
