#include "service/tables/time_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/text/nearest.hpp"
#include "service/tables/text_parts.hpp"
#include "service/tables/ways.hpp"

namespace vigil::tables {

namespace {

std::string time_words(const Result* result) {
    if (result == nullptr) return "-";
    if (!result->status.empty() && !is_passing(*result)) return status_words(*result);
    const auto time_s = result->get(Field::time_s);
    return time_s ? rounded_words(1000 * *time_s, 3) : "-";
}

std::string gain_words(const Result* base, const Result* other) {
    const bool both = base != nullptr && other != nullptr &&
                      base->get(Field::time_s).value_or(0) > 0 &&
                      other->get(Field::time_s).value_or(0) > 0;
    if (!both || is_oom(base->status) || is_oom(other->status)) return "-";
    return rounded_words(*base->get(Field::time_s) / *other->get(Field::time_s), 2) + "x";
}

const Result* any_of_row(const BatchRow& row) {
    return *std::find_if(
        row.cells.begin(), row.cells.end(), [](const Result* one) { return one != nullptr; });
}

}  // namespace

std::string times_text(const BatchTable& times, Detail detail) {
    const auto name_of = [](const std::string& column) { return column.empty() ? "time" : column; };
    std::vector<const Result*> shown;
    for (const auto& row : times.rows) shown.push_back(any_of_row(row));
    const WayColumns ways(shown, {times.by});
    std::vector<std::string> headers{"Model"};
    ways.add_headers(headers);
    headers.push_back("Batch");
    for (const auto& column : times.columns) headers.push_back(name_of(column) + ", ms");
    for (const auto& gain : times.gains) {
        headers.push_back(name_of(times.columns.front()) + " / " + name_of(gain.column));
    }
    MarkdownTable table(headers);
    for (const auto& row : times.rows) {
        std::vector<std::string> cells{row.model};
        ways.add_cells(*any_of_row(row), cells);
        cells.push_back(batch_words(row.batch));
        for (const auto* result : row.cells) cells.push_back(time_words(result));
        for (std::size_t i = 0; i < times.gains.size(); ++i) {
            cells.push_back(gain_words(row.cells.front(), row.cells[i + 1]));
        }
        table.add(cells);
    }
    const bool rows = detail == Detail::models || times.gains.empty();
    std::string text =
        suite_heading(shown.front()->suite, "time by " + title_of(times.by), times.label) +
        (rows ? table.text() + "\n" : "");
    for (const auto& gain : times.gains) {
        text += fmt::format(
            "{} / {}: {} (paired_v1, geometric mean of {}){}\n\n",
            name_of(times.columns.front()),
            name_of(gain.column),
            number_words(gain.speedup.value, 2, "x"),
            gain.speedup.count,
            left_out_clause(gain.speedup.left_out));
        std::string by_batch;
        for (const auto& one : gain.by_batch) {
            by_batch += fmt::format(
                "{}{} {}x ({})",
                by_batch.empty() ? "" : ", ",
                batch_words(one.batch),
                rounded_words(one.speedup, 2),
                one.count);
        }
        if (!by_batch.empty()) text += "By batch (geometric mean, rows): " + by_batch + "\n\n";
    }
    if (times.unshown.empty()) return text;
    return text + fmt::format("Not shown: {}\n\n", text::joined(times.unshown, ", "));
}

std::string scaling_text(const ScalingTable& scaling, Detail detail) {
    std::vector<const Result*> results;
    for (const auto& row : scaling.rows) results.push_back(row.result);
    const WayColumns ways(results, {scaling.part});
    std::vector<std::string> headers{"Model"};
    ways.add_headers(headers);
    for (const auto& header :
         {std::string("Batch"),
          scaling.workers,
          std::string("Throughput, 1/s"),
          std::string("Scaling factor"),
          std::string("Parallel efficiency")}) {
        headers.push_back(header);
    }
    MarkdownTable table(headers);
    for (const auto& row : scaling.rows) {
        std::vector<std::string> cells{row.result->model};
        ways.add_cells(*row.result, cells);
        cells.push_back(batch_words(row.result->batch));
        cells.push_back(std::to_string(row.workers));
        cells.push_back(rounded_words(row.throughput_per_s, 2));
        cells.push_back(number_words(row.factor, 3, ""));
        cells.push_back(percent_words(row.efficiency));
        table.add(cells);
    }
    const bool rows = detail == Detail::models || scaling.means.empty();
    std::string text =
        suite_heading(results.front()->suite, "throughput and scaling", scaling.label) +
        (rows ? table.text() + "\n" : "");
    for (const auto& mean : scaling.means) {
        text += fmt::format(
            "{} {}: scaling factor {}, parallel efficiency {} (paired_v1, arithmetic mean of "
            "{}){}\n\n",
            mean.workers,
            scaling.workers,
            number_words(mean.factor.value, 3, ""),
            percent_words(mean.efficiency.value),
            mean.factor.count,
            left_out_clause(mean.factor.left_out));
    }
    return text;
}

std::string breakdown_text(const Breakdown& breakdown) {
    std::vector<std::string> headers{"Domain"};
    for (const auto& mode : breakdown.modes) {
        const std::string before = mode.empty() ? "" : mode + " ";
        for (const char* share : {"active", "data movement", "idle", "models"}) {
            headers.push_back(before + share);
        }
    }
    MarkdownTable table(headers);
    for (const auto& row : breakdown.rows) {
        std::vector<std::string> cells{row.domain};
        for (const auto& mode : breakdown.modes) {
            const auto found = row.modes.find(mode);
            if (found == row.modes.end()) {
                cells.insert(cells.end(), 4, "-");
                continue;
            }
            const Shares& shares = found->second;
            cells.push_back(percent_words(shares.active));
            cells.push_back(percent_words(shares.movement));
            cells.push_back(percent_words(shares.idle));
            cells.push_back(std::to_string(shares.models));
        }
        table.add(cells);
    }
    return fmt::format(
        "## Time on the GPU by domain\n\n{}\nArithmetic means of the models' shares "
        "(paired_v1){}\n\n",
        table.text(),
        left_out_clause(breakdown.left_out));
}

}  // namespace vigil::tables
