#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bisect/stats/distribution.hpp"
#include "schema/text/capital.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"
#include "service/watch/requested/revert_words.hpp"

// What part of the confirmed change the culprits explain, and why a regression may stay open when
// its culprit is reverted; whether a revert would help; and which functions execute more, or take
// more memory: their names and files are a stranger's.

namespace vigil::service {

namespace {

/// Standard error of ln(1 + change_ratio), by its interval of 90 %.
double log_error(const Comparison& c) {
    return (std::log1p(c.high) - std::log1p(c.low)) / (2 * stats::normal_95);
}

constexpr std::size_t shown_rows = 3;
constexpr std::size_t most_table_bytes = 8000;  // so that the rest of a report has room
const std::string slower_heading = "### Why it is slower\n\n";
const std::string memory_heading = "### Why it takes more memory\n\n";

bool is_of_memory(const profile::Why& why) {
    return why.unit == profile::CostUnit::peak_bytes ||
           why.unit == profile::CostUnit::operator_bytes ||
           why.unit == profile::CostUnit::operator_peak_bytes;
}

std::string function_cell(const profile::WhyRow& row) {
    const auto names =
        profile::names_of(row, [](const std::string& name) { return text::code_span(name, 80); });
    return text::code_span(row.function, 80) + (names.empty() ? "" : ", " + names);
}

/// Where a function stands; of an operator, what it reads and asks for.
std::string place_cell(const profile::WhyRow& row, bool is_operator) {
    if (!is_operator) {
        const std::string file = row.file.empty() ? "not known" : text::code_span(row.file, 80);
        return file + (row.touched ? ", **changed by the culprit**" : "");
    }
    const auto shapes = profile::shapes_text(row);
    std::string cell = shapes.empty() ? "" : text::code_span(shapes, 100);
    if (row.bytes_before != row.bytes_after) {
        cell += fmt::format(
            "{}asks for {} -> {}",
            cell.empty() ? "" : ", ",
            profile::cost_text(row.bytes_before, profile::CostUnit::operator_bytes),
            profile::cost_text(row.bytes_after, profile::CostUnit::operator_bytes));
    }
    return cell;
}

std::string rows_table(std::span<const profile::WhyRow> rows, const profile::Why& why) {
    const auto unit = why.unit;
    const std::string word(profile::function_word(unit));
    const bool is_operator = word == "operator";
    std::string out = fmt::format(
        "| {} | {} | Before | After | Share of the change | {} |\n"
        "| --- | --- | ---: | ---: | ---: | --- |\n",
        text::with_capital(word),
        is_operator ? "Shapes" : "File",
        text::with_capital(std::string(profile::calls_word(unit))));
    std::size_t left = rows.size();
    for (const auto& row : rows) {
        if (out.size() > most_table_bytes) break;
        --left;
        out += fmt::format(
            "| {} | {} | {} | {} | {} | {} |\n",
            function_cell(row),
            place_cell(row, is_operator),
            profile::cost_text(row.before, unit),
            profile::cost_text(row.after, unit),
            text::share(row.share, 0),
            profile::calls_text(why, row));
    }
    if (left > 0) out += fmt::format(more_rows, left);
    return out;
}

std::string notes_text(const profile::Why& why) {
    std::string out;
    for (const auto& note : why.notes) out += "- " + plain_words(note, 300) + ".\n";
    return out + (why.notes.empty() ? "" : "\n");
}

std::string words_text(const profile::Why& why) {
    return fmt::format(
        "{}. {}.\n\n", text::with_capital(plain_words(why.words, 300)), profile::whole_text(why));
}

/// Three rows, and the rest folded.
std::string open_text(const profile::Why& why) {
    std::string out = words_text(why);
    const std::span rows(why.rows);
    if (!rows.empty()) {
        out += rows_table(rows.first(std::min(rows.size(), shown_rows)), why) + "\n";
    }
    if (rows.size() > shown_rows) {
        const auto rest = rows.subspan(shown_rows);
        const std::string word(profile::function_word(why.unit));
        out += fmt::format(
            "<details>\n<summary>{}</summary>\n\n{}\n</details>\n\n",
            text::counted(std::int64_t(rest.size()), "more " + word),
            rows_table(rest, why));
    }
    return out + notes_text(why);
}

/// What another profiler saw of the same builds.
std::string folded_text(const profile::Why& why) {
    return fmt::format(
        "<details>\n<summary>By {}, by {}</summary>\n\n{}{}{}</details>\n\n",
        profile::function_word(why.unit),
        profile::tool_of(why.unit),
        words_text(why),
        why.rows.empty() ? "" : rows_table(why.rows, why) + "\n",
        notes_text(why));
}

}  // namespace

std::optional<search::Explained> explained_of(const RegressionFacts& facts, std::size_t series) {
    const SeriesFact& fact = facts.series[series];
    if (!facts.culprit || !fact.verified || fact.verdict == Verdict::broken) return std::nullopt;
    if (fact.confirmed.runs_after == 0) return std::nullopt;
    std::vector<double> ratios{fact.verified->change_ratio};
    // Runs of the night and of the search: what both are off by is no rest.
    const double error = std::hypot(log_error(fact.confirmed), log_error(*fact.verified));
    for (const auto& other : facts.others) {
        if (other.series == int(series) && other.verified) ratios.push_back(other.change_ratio);
    }
    return search::explain(fact.confirmed.change_ratio, ratios, error);
}

std::string explained_section(const RegressionFacts& facts) {
    static constexpr std::size_t most = 10;
    double least = 1;
    bool known = false;
    bool within_error = false;
    std::string open;
    for (std::size_t i = 0; i < facts.series.size() && i < most; ++i) {
        const auto explained = explained_of(facts, i);
        if (!explained) continue;
        known = true;
        if (explained->enough()) least = std::min(least, explained->share);
        within_error |= !explained->enough() && !explained->has_rest();
        if (explained->enough() || !explained->has_rest()) continue;
        open += fmt::format(
            "- {}{} of the confirmed {} is explained; about {} is of changes that were not found. "
            "Without the culprit the series stays that far from its level, and this regression "
            "open.\n",
            facts.series.size() < 2 ? "" : fmt::format("S{}: ", i + 1),
            explained->share > 0 ? text::share(explained->share, 0) : "more than all",
            text::percent(facts.series[i].confirmed.change_ratio),
            text::percent(explained->rest_ratio));
    }
    if (!open.empty()) return "### What is not explained\n\n" + open + "\n";
    if (!known) return "";
    const bool alone = std::none_of(
        facts.others.begin(), facts.others.end(), [](const auto& other) { return other.verified; });
    return fmt::format(
        "{} {}.\n\n",
        alone ? "The culprit explains" : "The culprit and the other changes below explain",
        within_error ? "the change that was confirmed, within the error of both measurements"
                     : text::share(least, 0) + " of the change that was confirmed");
}

std::string revert_section(const RegressionFacts& facts) {
    if (!facts.revert || !facts.revert->outcome) return "";
    return plain_words(revert_words(*facts.revert), 600) + ".\n\n";
}

std::string why_section(const RegressionFacts& facts) {
    if (!facts.why) return "";
    const auto& why = *facts.why;
    if (why.state != WhyState::done) {
        return slower_heading +
               "The culprit and its parent are profiled after all other work; then this report is "
               "completed.\n\n";
    }
    if (!why.found) return slower_heading + "Not known: " + plain_words(why.message, 600) + ".\n\n";
    std::vector<const profile::Why*> all{&*why.found};
    for (const auto& one : why.found->beside) all.push_back(&one);
    // Of each kind the first one is open.
    const bool memory_first = is_of_memory(*all.front());
    std::string out;
    for (const bool of_memory : {memory_first, !memory_first}) {
        bool is_first = true;
        for (const auto* one : all) {
            if (is_of_memory(*one) != of_memory) continue;
            if (is_first) out += (of_memory ? memory_heading : slower_heading) + open_text(*one);
            if (!is_first) out += folded_text(*one);
            is_first = false;
        }
    }
    return out;
}

}  // namespace vigil::service
