#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

// The levels along the commits, as a chart that any reader of text can show.

namespace vigil::service {

namespace {

using search::CommitLevel;

constexpr std::size_t max_chart_rows = 40;
constexpr std::size_t max_drawn = 12;  // commits whose names fit below a chart
constexpr int bar_width = 32;

std::string bar(double change, double largest) {
    if (largest <= 0) return "";
    const int length = int(std::lround(bar_width * std::fabs(change) / largest));
    return std::string(std::size_t(std::clamp(length, 0, bar_width)), change < 0 ? '-' : '#');
}

/// Where the answer stands, the ends, and what is little known.
std::string note_of(const RegressionFacts& facts, const CommitLevel& level) {
    const Revision& revision = facts.suspects[std::size_t(level.commit)].revision;
    const bool inside = is_inside(facts);
    const bool last = std::size_t(level.commit) + 1 == facts.suspects.size();
    const bool other = std::any_of(facts.others.begin(), facts.others.end(), [&](const auto& o) {
        return o.series == 0 && o.first == o.last && o.first == revision;
    });
    const bool parent =
        std::any_of(facts.endings.begin(), facts.endings.end(), [&](const EndingFact& ending) {
            return facts.culprit && ending.culprit && ending.parent == level.commit;
        });
    std::string note = facts.culprit == revision ? "  <- culprit"
                       : other                   ? "  <- another change"
                       : level.commit == 0       ? inside ? "  where it left" : "  good build"
                       : last                    ? inside ? "  what was merged" : "  bad build"
                                                 : "";
    if (parent) note += note.empty() ? "  measured against the culprit" : ", against the culprit";
    if (level.same_as) {
        const auto& same = facts.suspects[std::size_t(*level.same_as)].revision;
        note += (note.empty() ? "  " : ", ") + ("the same product as " + same.brief());
    }
    if (level.runs == 1) note += note.empty() ? "  one run" : ", one run";
    return note;
}

std::string chart_row(const RegressionFacts& facts, const CommitLevel& level, double largest) {
    return fmt::format(
        "{}  {:>9}  {:>3} |{}{}\n",
        facts.suspects[std::size_t(level.commit)].revision.brief(),
        text::percent(level.change),
        level.runs,
        bar(level.change, largest),
        note_of(facts, level));
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
std::string drawn(const RegressionFacts& facts, const std::vector<CommitLevel>& marks) {
    std::string commits;
    std::string changes;
    double low = 0;
    double high = 0;
    for (const auto& mark : marks) {
        const SuspectFact& suspect = facts.suspects[std::size_t(mark.commit)];
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
std::vector<CommitLevel> worth_showing(std::vector<CommitLevel> marks, std::size_t most) {
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
    if (facts.series.front().verdict == Verdict::broken) return "";  // it runs, or it does not
    if (facts.levels.empty()) return "";
    const auto& marks = facts.levels.front();
    if (marks.size() < 3) return "";
    double largest = 0;
    for (const auto& mark : marks) largest = std::max(largest, std::fabs(mark.change));
    const auto shown = worth_showing(marks, max_chart_rows);
    std::string rows;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const int gap = i == 0 ? 0 : shown[i].commit - shown[i - 1].commit - 1;
        if (gap > 0) rows += fmt::format("  {} between\n", text::counted(gap, "commit"));
        rows += chart_row(facts, shown[i], largest);
    }
    std::string note =
        "The change of each measured commit by all runs of the search, adjusted for machine drift, "
        "and the number of its runs.";
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
