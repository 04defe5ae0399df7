#include <algorithm>
#include <cmath>
#include <string>
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
constexpr int bar_width = 32;

std::string bar(double change, double largest) {
    if (largest <= 0) return "";
    const int length = int(std::lround(bar_width * std::fabs(change) / largest));
    return std::string(std::size_t(std::clamp(length, 0, bar_width)), change < 0 ? '-' : '#');
}

std::string chart_row(
    const RegressionFacts& facts, const Mark& mark, double largest, std::size_t width) {
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
        "{:>{}}  {}  {:>9}  {:>3} |{}{}\n",
        mark.position,
        width,
        suspect.revision.brief(),
        text::percent(mark.change),
        mark.runs,
        bar(mark.change, largest),
        note);
}

/// Of too many marks, those next to the largest step stay.
std::vector<Mark> worth_showing(std::vector<Mark> marks) {
    if (marks.size() <= max_chart_rows) return marks;
    std::size_t step = 1;
    for (std::size_t i = 1; i < marks.size(); ++i) {
        const auto size = [&](std::size_t k) { return marks[k].change - marks[k - 1].change; };
        if (size(i) > size(step)) step = i;
    }
    const std::size_t half = max_chart_rows / 2;
    std::size_t from = step > half ? step - half : 0;
    from = std::min(from, marks.size() - max_chart_rows);
    const auto first = marks.begin() + std::ptrdiff_t(from);
    return {first, first + std::ptrdiff_t(max_chart_rows)};
}

}  // namespace

std::string levels_section(const RegressionFacts& facts) {
    if (facts.series.empty() || facts.suspects.size() < 2) return "";
    const auto marks = levels(facts, 0);
    if (marks.size() < 3) return "";
    double largest = 0;
    for (const auto& mark : marks) largest = std::max(largest, std::fabs(mark.change));
    const auto shown = worth_showing(marks);
    const std::size_t width = std::to_string(facts.suspects.size()).size();
    std::string rows;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const int gap = i == 0 ? 0 : shown[i].position - shown[i - 1].position - 1;
        if (gap > 0) {
            rows += fmt::format("{:>{}}  {} between\n", "", width, text::counted(gap, "commit"));
        }
        rows += chart_row(facts, shown[i], largest, width);
    }
    std::string out = fmt::format(
        "### Levels along the commits\n\nChange of {} of {} against {}: position, "
        "commit, median change, runs.",
        metric_words(facts.series.front().metric),
        series_words(facts.series.front()),
        is_inside(facts) ? "the commit where the branch left" : "the good build");
    if (shown.size() < marks.size()) {
        out += fmt::format(" Shown are {} of {} measured commits.", shown.size(), marks.size());
    }
    return out + "\n\n" + text::fenced(rows, "text") + "\n";
}

}  // namespace vigil::service
