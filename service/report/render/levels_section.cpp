#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/probe_reading.hpp"
#include "service/report/render/sections.hpp"

// The levels along the commits, as a chart that any reader of text can show.

namespace vigil::service {

namespace {

constexpr std::size_t max_chart_rows = 40;
constexpr std::size_t max_drawn = 12;  // commits whose names fit below a chart
constexpr int bar_width = 32;

std::string bar(double change, double largest) {
    if (largest <= 0) return "";
    const int length = int(std::lround(bar_width * std::fabs(change) / largest));
    return std::string(std::size_t(std::clamp(length, 0, bar_width)), change < 0 ? '-' : '#');
}

std::string chart_row(const RegressionFacts& facts, const Mark& mark, double largest) {
    const SuspectFact& suspect = facts.suspects[std::size_t(mark.position)];
    const bool culprit = facts.culprit && *facts.culprit == suspect.revision;
    const bool other = std::any_of(facts.others.begin(), facts.others.end(), [&](const auto& o) {
        return o.series == 0 && o.first == o.last && o.first == suspect.revision;
    });
    const bool last = std::size_t(mark.position) + 1 == facts.suspects.size();
    const bool inside = is_inside(facts);
    const std::string note = culprit              ? "  <- culprit"
                             : other              ? "  <- another change"
                             : mark.position == 0 ? inside ? "  where it left" : "  good build"
                             : last               ? inside ? "  what was merged" : "  bad build"
                                                  : "";
    return fmt::format(
        "{}  {:>9}  {:>3} |{}{}\n",
        suspect.revision.brief(),
        text::percent(mark.change),
        mark.runs,
        bar(mark.change, largest),
        note);
}

/// A stranger's name within the quotes of a chart, where signs of its language count.
std::string chart_words(std::string_view name) {
    std::string words;
    for (const char c : text::harmless(name, 30)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '/';
        words += plain ? c : ' ';
    }
    return words;
}

/// The marks as a line in the language of mermaid, which trackers draw.
std::string drawn(const RegressionFacts& facts, const std::vector<Mark>& marks) {
    std::string commits;
    std::string changes;
    double low = 0;
    double high = 0;
    for (const auto& mark : marks) {
        const SuspectFact& suspect = facts.suspects[std::size_t(mark.position)];
        commits += fmt::format(
            "{}\"{}\"", commits.empty() ? "" : ", ", suspect.revision.str().substr(0, 7));
        const double change = std::isfinite(mark.change) ? 100 * mark.change : 0;
        changes += (changes.empty() ? "" : ", ") + text::rounded(change, 1);
        low = std::min(low, change);
        high = std::max(high, change);
    }
    const SeriesFact& series = facts.series.front();
    return text::fenced(
        fmt::format(
            // A tracker's own colour of the first line is too faint to be seen.
            "%%{{init: {{\"themeVariables\": {{\"xyChart\": "
            "{{\"plotColorPalette\": \"#0969da\"}}}}}}}}%%\n"
            "xychart-beta\n"
            "    title \"{} of {}, {}\"\n"
            "    x-axis [{}]\n"
            "    y-axis \"change in %\" {} --> {}\n"
            "    line [{}]\n",
            metric_words(series.metric),
            chart_words(series.benchmark),
            chart_words(series.variant),
            commits,
            std::floor(low - 1),
            std::ceil(high + 1),
            changes),
        "mermaid");
}

/// Of too many marks, those next to the largest step stay.
std::vector<Mark> worth_showing(std::vector<Mark> marks, std::size_t most) {
    if (marks.size() <= most) return marks;
    std::size_t step = 1;
    for (std::size_t i = 1; i < marks.size(); ++i) {
        const auto size = [&](std::size_t k) { return marks[k].change - marks[k - 1].change; };
        if (size(i) > size(step)) step = i;
    }
    const std::size_t half = most / 2;
    std::size_t from = step > half ? step - half : 0;
    from = std::min(from, marks.size() - most);
    const auto first = marks.begin() + std::ptrdiff_t(from);
    return {first, first + std::ptrdiff_t(most)};
}

}  // namespace

std::string levels_section(const RegressionFacts& facts) {
    if (facts.series.empty() || facts.suspects.size() < 2) return "";
    const auto marks = levels(facts, 0);
    if (marks.size() < 3) return "";
    double largest = 0;
    for (const auto& mark : marks) largest = std::max(largest, std::fabs(mark.change));
    const auto shown = worth_showing(marks, max_chart_rows);
    std::string rows;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const int gap = i == 0 ? 0 : shown[i].position - shown[i - 1].position - 1;
        if (gap > 0) rows += fmt::format("  {} between\n", text::counted(gap, "commit"));
        rows += chart_row(facts, shown[i], largest);
    }
    std::string note = "Of each measured commit: its median change, and its runs.";
    if (shown.size() < marks.size()) {
        note += fmt::format(" Shown are {} of {}.", shown.size(), marks.size());
    }
    return fmt::format(
        "### Levels along the commits\n\nChange of {} of {} against {}.\n\n{}\n"
        "<details>\n<summary>The same as text</summary>\n\n{}\n\n{}\n</details>\n\n",
        metric_words(facts.series.front().metric),
        series_words(facts.series.front()),
        is_inside(facts) ? "the commit where the branch left" : "the good build",
        drawn(facts, worth_showing(marks, max_drawn)),
        note,
        text::fenced(rows, "text"));
}

}  // namespace vigil::service
