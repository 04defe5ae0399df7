#include "service/report/render/render_requested.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/model/metric_words.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_changed_rows = 10;
constexpr std::size_t max_same_rows = 30;
constexpr std::size_t max_unjudged_rows = 10;
constexpr std::size_t max_requested_words = 400;
constexpr std::string_view requested_head =
    "| Series | Before | After | Change | 90 % interval | Verdict | Runs |\n"
    "|---|---:|---:|---:|---|---|---:|\n";

std::string_view verdict_cell(const JudgedSeries& series) {
    switch (series.verdict.value_or(Verdict::watch)) {
        case Verdict::regression: return "**worse**";
        case Verdict::drift: return "worse, not beyond the threshold";
        case Verdict::improvement: return "better";
        case Verdict::noise: return "the same";
        default: return "undecided";
    }
}

std::string requested_level(double value, const JudgedSeries& series) {
    return plain_words(text::quantity(value, series.unit), 60);
}

std::string requested_row(const RequestedFacts& facts, const JudgedSeries& series) {
    const auto& c = series.comparison;
    return fmt::format(
        "| {}, {} | {} | {} | {} | {} | {} | {} + {} |\n",
        linked(series_words(series), series_url(facts.links, series.id)),
        metric_words(series.metric),
        requested_level(c.before, series),
        requested_level(c.after, series),
        text::percent(c.change_ratio),
        interval_words(c),
        verdict_cell(series),
        c.runs_before,
        c.runs_after);
}

std::string rows_with_head(
    const RequestedFacts& facts, const std::vector<JudgedSeries>& series, std::size_t most) {
    const auto row = [&](const JudgedSeries& one) { return requested_row(facts, one); };
    return std::string(requested_head) + listed(series, most, row, more_rows) + "\n";
}

std::int64_t count_judged(const RequestedFacts& facts, Verdict verdict) {
    return std::count_if(facts.series.begin(), facts.series.end(), [&](const auto& one) {
        return one.verdict.value_or(Verdict::watch) == verdict;
    });
}

std::string variants_words(std::string_view head, const std::vector<UnjudgedVariant>& variants) {
    if (variants.empty()) return "";
    const auto row = [](const UnjudgedVariant& one) {
        return fmt::format(
            "- {}{}\n",
            series_words(one),
            one.why.empty() ? "" : ": " + text::code_span(one.why, max_requested_words));
    };
    return fmt::format("{}:\n\n{}\n", head, listed(variants, max_unjudged_rows, row));
}

/// Of what is no comparison, or failed.
std::string ended_words(const RequestedFacts& facts) {
    const auto words = plain_words(facts.message, max_requested_words);
    switch (facts.state) {
        case RequestState::failed: return "could not be measured: " + words;
        case RequestState::cancelled: return "is cancelled: " + words;
        default: return "is done: " + words;
    }
}

}  // namespace

ComparedAs compared_as(const RequestedFacts& facts) {
    if (count_judged(facts, Verdict::regression) > 0) return ComparedAs::worse;
    if (!facts.broken.empty()) return ComparedAs::worse;
    const bool whole = facts.state == RequestState::done && facts.unjudged.empty() &&
                       !facts.series.empty() && count_judged(facts, Verdict::watch) == 0;
    return whole ? ComparedAs::same : ComparedAs::unknown;
}

std::string compared_words(const RequestedFacts& facts) {
    const auto all = std::int64_t(facts.series.size());
    const auto worse = count_judged(facts, Verdict::regression);
    const auto are = [](std::int64_t count) { return count == 1 ? "is" : "are"; };
    std::string words = all == 0 ? std::string("No series was judged")
                        : worse == 0
                            ? fmt::format("None of {} series is worse", all)
                            : fmt::format("{} of {} series {} worse", worse, all, are(worse));
    const auto add = [&](std::int64_t count, std::string_view what) {
        if (count > 0) words += fmt::format("; {} {} {}", count, are(count), what);
    };
    add(count_judged(facts, Verdict::drift), "worse, not beyond the threshold");
    add(count_judged(facts, Verdict::improvement), "better");
    add(count_judged(facts, Verdict::watch), "undecided");
    if (!facts.broken.empty()) {
        words += fmt::format(
            "; {} run",
            text::counted(
                std::int64_t(facts.broken.size()), "variant does not", "variants do not"));
    }
    if (!facts.unjudged.empty()) {
        words += fmt::format(
            "; {} not judged",
            text::counted(std::int64_t(facts.unjudged.size()), "variant is", "variants are"));
    }
    return words;
}

std::string compared_table(const RequestedFacts& facts) {
    std::vector<JudgedSeries> changed, same;
    for (const auto& one : facts.series) {
        (one.verdict == Verdict::noise ? same : changed).push_back(one);
    }
    std::string out;
    if (!changed.empty()) out += rows_with_head(facts, changed, max_changed_rows);
    if (!same.empty()) {
        out += fmt::format(
            "<details>\n<summary>{} the same</summary>\n\n{}</details>\n\n",
            text::counted(std::int64_t(same.size()), "series is", "series are"),
            rows_with_head(facts, same, max_same_rows));
    }
    return out + variants_words("No longer runs", facts.broken) +
           variants_words("Not judged", facts.unjudged);
}

std::string measured_words(const RequestedFacts& facts) {
    const auto request =
        linked(fmt::format("request {}", facts.id.value), request_url(facts.links, facts.id));
    const auto commits = facts.a.empty() || facts.b.empty()
                             ? std::string()
                             : fmt::format(
                                   "{} against {}, interleaved on the same worker, ",
                                   commit_ref(facts.links, facts.b),
                                   commit_ref(facts.links, facts.a));
    return fmt::format("Measured: {}{}, {}.\n", commits, text::counted(facts.runs, "run"), request);
}

std::string render_requested(const RequestedFacts& facts) {
    const bool compared =
        facts.kind == RequestKind::comparison && !(facts.series.empty() && facts.broken.empty());
    const auto first = compared ? compared_words(facts) + "."
                                : fmt::format("Request {} {}.", facts.id.value, ended_words(facts));
    return fmt::format("**{}**\n\n{}{}", first, compared_table(facts), measured_words(facts));
}

}  // namespace vigil::service
