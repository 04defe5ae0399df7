#include "schema/harness/read.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/format.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/harness/text_readers.hpp"
#include "schema/model/error.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/wire/json.hpp"

namespace vigil::harness {

namespace {

constexpr std::string_view blanks = " \t\r\n";

[[noreturn]] void refuse_file(const std::string& file, const std::string& why) {
    throw Error(Errc::invalid_argument, fmt::format("reading {}: {}", file, why));
}

/// Whether an error says of which file it is.
bool is_reported(const Error& error) {
    return std::string_view(error.what()).starts_with("reading ");
}

/// Without a mark of UTF-8 and blanks at its beginning.
std::string_view trimmed(std::string_view text, const std::string& file) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const auto first = text.find_first_not_of(blanks);
    if (first == text.npos) refuse_file(file, "it is empty");
    return text.substr(first);
}

/// criterion's messages, one a line; lines of other programs are passed over.
void read_messages(std::string_view text, Collector& into) {
    auto& budget = into.budget();
    for (int number = 1; !text.empty(); ++number) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const auto first = line.find_first_not_of(blanks);
        if (first == line.npos || line[first] != '{') continue;
        const auto place = fmt::format("line {}", number);
        into.row(place, [&] {
            text::BudgetLoan loan(budget);
            const auto message = parse_line(line, budget);
            loan.end();
            read_criterion(message, into);
        });
    }
}

void read_one(
    const Opened& opened, std::string_view text, const std::string& file, Collector& into) {
    static const nlohmann::json none;
    const auto& document = opened.document ? *opened.document : none;
    switch (opened.harness) {
        case Harness::google_benchmark: return read_google_benchmark(document, into);
        case Harness::pytest_benchmark: return read_pytest_benchmark(document, into);
        case Harness::hyperfine: return read_hyperfine(document, into);
        case Harness::jmh: return read_jmh(document, into);
        case Harness::benchmark_dot_net: return read_benchmark_dot_net(document, into);
        case Harness::asv: return read_asv(document, into);
        case Harness::torchbench: return read_torchbench(document, into);
        case Harness::bmf: return read_bmf(document, into);
        case Harness::criterion:
            return opened.is_table ? read_criterion_csv(text, file, into)
                                   : read_messages(text, into);
        case Harness::go: return read_go(text, into);
        case Harness::catch2: return read_catch2(text, into);
        case Harness::dynamo: return read_dynamo(text, file, into);
        case Harness::github_action_benchmark:
        case Harness::csv: return;  // of several reports
    }
}

std::vector<Report> read_all(
    const Opened& opened,
    std::string_view text,
    const std::string& file,
    const ReadOptions& options) {
    auto& budget = *options.budget;
    if (opened.harness == Harness::csv) {
        return read_columns(text, file, options.most_reports, budget);
    }
    if (opened.harness == Harness::github_action_benchmark) {
        return read_github_action_benchmark(*opened.document, options.most_reports, budget);
    }
    Collector collector(opened.harness, budget, options.file_name);
    read_one(opened, text, file, collector);
    std::vector<Report> reports;
    reports.push_back(collector.finish());
    return reports;
}

/// A file without a value is refused with the reason of its first row.
void check_readings(
    const std::vector<Report>& reports, const std::string& file, bool takes_nothing) {
    std::size_t left_out = 0;
    std::string first;
    for (const auto& report : reports) {
        if (!report.readings.empty()) return;
        left_out += report.left_out_count;
        if (first.empty() && !report.left_out.empty()) first = report.left_out.front();
    }
    if (left_out > 1) first += fmt::format(" (and {} more)", left_out - 1);
    if (left_out > 0) refuse_file(file, first);
    if (!takes_nothing || reports.empty()) refuse_file(file, "it holds no benchmark");
}

}  // namespace

bool is_report(std::string_view text) {
    try {
        wire::check_utf8(text, "");
        text::ReadBudget budget(text.size());
        open_file(trimmed(text, ""), "", std::nullopt, budget);
        return true;
    } catch (const text::BudgetError&) {
        return true;  // whoever reads it says so
    } catch (const Error&) {
        return false;
    }
}

std::vector<Report> read_reports(
    std::string_view text, const std::string& file, const ReadOptions& options) {
    if (text.size() > max_file_bytes) {
        refuse_file(
            file, fmt::format("{} bytes, at most {} are read", text.size(), max_file_bytes));
    }
    text::ReadBudget own(text.size());
    auto with_budget = options;
    if (!with_budget.budget) with_budget.budget = &own;
    wire::check_utf8(text, file);
    text = trimmed(text, file);
    std::vector<Report> reports;
    try {
        text::BudgetLoan loan(*with_budget.budget);
        const auto opened = open_file(text, file, options.format, *with_budget.budget);
        loan.end();
        reports = read_all(opened, text, file, with_budget);
    } catch (const text::BudgetError& error) {
        if (is_reported(error)) throw;
        throw text::BudgetError(fmt::format("reading {}: {}", file, error.what()));
    } catch (const Error& error) {
        if (is_reported(error)) throw;
        refuse_file(file, error.what());
    }
    check_readings(reports, file, options.takes_nothing);
    return reports;
}

}  // namespace vigil::harness
