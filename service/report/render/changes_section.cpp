#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schema/model/state_sets.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

// What is worse, in tables: what takes more, what leaks, what no longer works, each apart. What
// came back stands in fix_section, what became better that night is folded away.

namespace vigil::service {

std::string interval_words(const Comparison& comparison) {
    if (std::isinf(comparison.change_ratio)) return "no ratio from 0";
    return fmt::format("{} to {}", text::percent(comparison.low), text::percent(comparison.high));
}

namespace {

constexpr std::size_t max_top_rows = 10;  // those after them are folded
constexpr std::size_t max_series_rows = 40;
constexpr std::size_t max_better_rows = 10;

/// "12.30 ms", or what stands for it when there is no value.
std::string level(double value, const Comparison& c, const SeriesFact& series) {
    const bool measured = c.runs_before + c.runs_after > 0 || std::isinf(c.change_ratio);
    const bool may_be = kind_of(series.metric) != MetricKind::time && measured;
    return value == 0 && !may_be ? std::string("none")
                                 : plain_words(text::quantity(value, series.unit), 60);
}

std::string runs_words(const Comparison& comparison) {
    if (comparison.runs_before == 0 && comparison.runs_after == 0) return "";
    return fmt::format("{} + {}", comparison.runs_before, comparison.runs_after);
}

/// A series of the regression with its label.
struct Row {
    std::size_t index = 0;
    const SeriesFact* series = nullptr;
};

std::string name_cell(const RegressionFacts& facts, const Row& row) {
    const SeriesFact& series = *row.series;
    return fmt::format(
        "{}{}, {}",
        label_of(facts, row.index),
        linked(series_words(series), series_url(facts.links, series.id)),
        metric_words(series.metric));
}

/// Of which runs the figures of a table are: all of them, or those of one measurement.
enum class Figures { all, confirmed, verified };

struct Table {
    std::string_view head;
    std::string (*row)(const RegressionFacts&, const Row&, Figures);
};

Comparison figures_of(const SeriesFact& series, Figures which) {
    if (which == Figures::confirmed) return series.confirmed;
    if (which == Figures::verified) return series.verified.value_or(Comparison{});
    return best_comparison(series);
}

bool is_pooled(const Row& row) {
    const auto& verified = row.series->verified;
    return verified && !verified->of_sources &&
           best_comparison(*row.series).runs_after > verified->runs_after;
}

std::string worse_row(const RegressionFacts& facts, const Row& row, Figures which) {
    const SeriesFact& series = *row.series;
    const Comparison c = figures_of(series, which);
    return fmt::format(
        "| {} | {} | {} | **{}** | {} | {} | {} |\n",
        name_cell(facts, row),
        level(c.before, c, series),
        level(c.after, c, series),
        text::change(c.change_ratio, c.before, c.after, plain_words(series.unit, 40)),
        c.runs_after == 0 ? "not measured again" : interval_words(c),
        text::share(series.threshold, 0),
        runs_words(c));
}

std::string broken_row(const RegressionFacts& facts, const Row& row, Figures which) {
    return fmt::format(
        "| {} | runs | {} | {} |\n",
        name_cell(facts, row),
        failure_words(row.series->failed),
        runs_words(figures_of(*row.series, which)));
}

constexpr Table worse_table{
    "| Series | Before | After | Change | 90 % interval | Threshold | Runs |\n"
    "|---|---:|---:|---:|---|---:|---:|\n",
    worse_row};
constexpr Table broken_table{
    "| Series | Before | After | Runs |\n"
    "|---|---|---|---:|\n",
    broken_row};

std::string table_of(
    const RegressionFacts& facts,
    const std::vector<Row>& rows,
    const Table& table,
    Figures which = Figures::all) {
    std::string out(table.head);
    const std::size_t shown = std::min(rows.size(), max_series_rows);
    for (std::size_t i = 0; i < shown; ++i) {
        if (i == max_top_rows) {
            out += fmt::format(
                "\n<details>\n<summary>Those were the top {} of {}</summary>\n\n{}",
                max_top_rows,
                text::counted(std::int64_t(rows.size()), "series", "series"),
                table.head);
        }
        out += table.row(facts, rows[i], which);
    }
    if (rows.size() > shown) {
        out += fmt::format(
            "\nAnd {} more series, which `vigil regression show {}` lists.\n",
            rows.size() - shown,
            facts.id.value);
    }
    if (shown > max_top_rows) out += "\n</details>\n";
    return out + "\n";
}

bool is_worse(const SeriesFact& series) {
    return is_on_values(series.verdict);
}

/// What the table tells, before its rows; what came back is told elsewhere.
std::vector<Row> rows_of(const RegressionFacts& facts, bool (*belongs)(const SeriesFact&)) {
    const bool all = std::none_of(facts.series.begin(), facts.series.end(), is_still_worse);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < facts.series.size(); ++i) {
        const SeriesFact& series = facts.series[i];
        if (belongs(series) && (all || is_still_worse(series))) rows.push_back({i, &series});
    }
    return rows;
}

/// "its parent `1a2b3c4d5e`".
std::string control_words(const RegressionFacts& facts) {
    Revision parent;
    for (const auto& ending : facts.endings) {
        const bool named = ending.culprit && ending.parent >= 0 &&
                           std::size_t(ending.parent) < facts.suspects.size();
        if (named) parent = facts.suspects[std::size_t(ending.parent)].revision;
    }
    const SuspectFact* culprit = find_suspect(facts, *facts.culprit);
    if (parent.empty()) return "the newest commit before it that can be measured";
    const auto commit = commit_ref(facts.links, parent);
    if (culprit != nullptr && parent == culprit->parent) return "its parent " + commit;
    return "the newest commit before it that can be measured, " + commit;
}

/// Whether the culprit was verified by other builds than those of the nights.
bool is_of_sources(const std::vector<Row>& rows) {
    return std::any_of(rows.begin(), rows.end(), [](const Row& row) {
        return row.series->verified && row.series->verified->of_sources;
    });
}

/// What was held against what.
std::string compared_words(const RegressionFacts& facts, const std::vector<Row>& rows) {
    const auto is_verified = [](const Row& row) { return row.series->verified.has_value(); };
    const auto verified = std::count_if(rows.begin(), rows.end(), is_verified);
    const bool asked = std::any_of(rows.begin(), rows.end(), [](const Row& row) {
        return row.series->confirmed.runs_after > 0;
    });
    if (!asked && verified == 0) {
        return "What the runs of the two nights measured. Nobody measured them again.";
    }
    if (is_of_sources(rows)) {
        return "The archives of the two nights, interleaved in fresh processes on one worker.";
    }
    if (!facts.culprit || verified == 0) {
        return "The good build against the bad one, interleaved in fresh processes on one worker.";
    }
    const bool pooled = std::any_of(rows.begin(), rows.end(), is_pooled);
    std::string words = fmt::format(
        "The culprit against {}{}, interleaved in fresh processes on one worker: the runs that "
        "verify "
        "it.",
        control_words(facts),
        pooled ? ", pooled with the good build against the bad one where both measure one change"
               : "");
    std::string others;
    for (const Row& row : rows) {
        if (row.series->verified) continue;
        others += fmt::format("{}S{}", others.empty() ? "" : ", ", row.index + 1);
    }
    if (others.empty()) return words;
    return words + " Of " + others + " the good and the bad build are told.";
}

/// The two nights' builds, where the table above tells of the culprit alone.
std::string whole_day(const RegressionFacts& facts, const std::vector<Row>& rows) {
    const bool verified = std::any_of(
        rows.begin(), rows.end(), [](const Row& row) { return row.series->verified.has_value(); });
    if (!facts.culprit || !verified) return "";
    const auto shown = std::min(rows.size(), max_top_rows);
    const std::vector<Row> top(rows.begin(), rows.begin() + std::ptrdiff_t(shown));
    if (is_of_sources(top)) {
        return fmt::format(
            "<details>\n<summary>Builds of the sources</summary>\n\nThe culprit against {}:\n\n{}"
            "</details>\n\n",
            control_words(facts),
            table_of(facts, top, worse_table, Figures::verified));
    }
    std::string out =
        "<details>\n<summary>Each measurement by itself</summary>\n\nThe good build against the "
        "bad "
        "build, as first confirmed:\n\n" +
        table_of(facts, top, worse_table, Figures::confirmed);
    if (std::any_of(top.begin(), top.end(), is_pooled)) {
        out += "The culprit against the commit before it:\n\n" +
               table_of(facts, top, worse_table, Figures::verified);
    }
    return out + "</details>\n\n";
}

}  // namespace

bool is_still_worse(const SeriesFact& series) {
    return series.recovered_night.empty();
}

std::string label_of(const RegressionFacts& facts, std::size_t index) {
    return facts.series.size() < 2 ? "" : fmt::format("S{}: ", index + 1);
}

std::string failure_words(std::optional<Outcome> failed) {
    if (failed == Outcome::oom) return "out of memory";
    if (failed == Outcome::wrong) return "wrong answer";
    if (failed == Outcome::timeout) return "does not end in time";
    return "fails";
}

std::string what_is_worse_section(const RegressionFacts& facts) {
    std::string out;
    const auto worse = rows_of(facts, is_worse);
    if (!worse.empty()) {
        out += fmt::format(
            "### What is worse\n\n{}\n\n{}{}",
            compared_words(facts, worse),
            table_of(facts, worse, worse_table),
            whole_day(facts, worse));
    }
    const auto leaks =
        rows_of(facts, [](const SeriesFact& series) { return series.verdict == Verdict::leak; });
    if (!leaks.empty()) {
        out += "### What leaks\n\nMemory grows with every iteration. " +
               compared_words(facts, leaks) + "\n\n" + table_of(facts, leaks, worse_table);
    }
    const auto broken =
        rows_of(facts, [](const SeriesFact& series) { return series.verdict == Verdict::broken; });
    if (!broken.empty()) {
        out += "### What no longer works\n\n" + compared_words(facts, broken) + "\n\n" +
               table_of(facts, broken, broken_table);
    }
    return out;
}

std::string same_night_section(const RegressionFacts& facts) {
    const auto better = [](const NightChangeFact& change) {
        const bool known = change.confirmed.runs_after > 0;
        return fmt::format(
            "- {}, {}: {}\n",
            series_words(change),
            metric_words(change.metric),
            known ? text::percent(change.confirmed.change_ratio)
                  : text::percent(change.change_ratio));
    };
    const auto note = [](const std::string& words) {
        return "- " + plain_words(words, 300) + "\n";
    };
    std::string out;
    if (!facts.better.empty()) {
        out += "Better:\n\n" + listed(facts.better, max_better_rows, better) + "\n";
    }
    if (!facts.series_notes.empty()) {
        out += "New, gone, or measured in another way:\n\n" +
               listed(facts.series_notes, max_better_rows, note) + "\n";
    }
    if (out.empty()) return "";
    return "<details>\n<summary>What else happened that night</summary>\n\n" + out +
           "</details>\n\n";
}

}  // namespace vigil::service
