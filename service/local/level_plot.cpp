#include "service/local/level_plot.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "service/chart/axis.hpp"
#include "service/local/answer.hpp"
#include "service/local/level_rows.hpp"

namespace vigil::local {

namespace {

constexpr double most_grid_lines = 6;
constexpr double chart_gap = 30;
constexpr double line_height = 14;

/// Measures of a drawing, in pixels where it is shown at its own size.
struct Sheet {
    const char* name;  ///< class of the drawing
    double width, left, right;
    double levels_top, levels_bottom;
    double chart_height;
    double tick;     ///< half a median's stroke
    double least_p;  ///< width of a probability's bar
};

/// Letters that are readable on a phone would fill the page of a desk's screen, so each has a
/// drawing of its own; the page shows the one that fits.
constexpr Sheet wide_sheet{"wide", 860, 90, 20, 28, 280, 60, 6, 1};
constexpr Sheet narrow_sheet{"narrow", 328, 82, 8, 28, 220, 50, 4, 2};

/// Places on the paper.
class Paper {
  public:
    Paper(const Story& story, const std::vector<LevelDot>& dots, const Sheet& sheet)
        : sheet_(sheet), last_(story.last()) {
        for (const auto& dot : dots) range_.add(dot.value);
        if (range_.empty()) range_ = {0, 1};
        const double margin = std::max(0.08 * (range_.high - range_.low), 0.005 * range_.high);
        range_.low = std::max(range_.low - margin, 0.0);
        range_.high += margin;
    }
    const Sheet& sheet() const { return sheet_; }
    double right() const { return sheet_.width - sheet_.right; }
    double chart_top() const { return sheet_.levels_bottom + chart_gap; }
    double chart_bottom() const { return chart_top() + sheet_.chart_height; }
    double height() const { return chart_bottom() + 3.5 * line_height; }
    double x(double commit) const { return sheet_.left + commit / last_ * (right() - sheet_.left); }
    double y(double value) const {
        return sheet_.levels_bottom -
               range_.share_of(value) * (sheet_.levels_bottom - sheet_.levels_top);
    }
    /// Values to draw a line at: multiples of 1, 2 or 5 times a power of ten; of bytes, of KiB, MiB
    /// and so on.
    std::vector<double> grid(bool bytes) const {
        const double least = (range_.high - range_.low) / (most_grid_lines - 1);
        if (!(least > 0)) return {range_.low};
        double unit = 1;
        while (bytes && unit * 1024 <= least) unit *= 1024;
        const double step = chart::round_step(least, unit);
        std::vector<double> lines;
        for (double line = std::ceil(range_.low / step); line * step <= range_.high; ++line) {
            lines.push_back(line * step);
        }
        return lines;
    }

  private:
    const Sheet& sheet_;
    double last_;
    chart::ValueRange range_;
};

std::string tooltip(const Story& story, int commit, const std::string& more) {
    std::string text = story.revision(commit).brief();
    if (commit > 0) text += " " + text::one_line(story.suspect(commit).subject, 80);
    return "<title>" + text::html(text + more) + "</title>";
}

std::string grid(const Story& story, const Paper& paper) {
    std::string svg;
    const std::string unit = unit_of(story.order());
    for (const double value : paper.grid(kind_of(story.order()) == MetricKind::memory)) {
        svg += fmt::format(
            "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
            "<text class=\"axis\" x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
            paper.sheet().left,
            paper.right(),
            paper.y(value),
            paper.sheet().left - 8,
            paper.y(value) + 4,
            value == 0 ? "0" : text::html(value_text(value, unit)));
    }
    for (const int commit : {0, story.last()}) {
        svg += fmt::format(
            "<text class=\"axis\" x=\"{0:.1f}\" y=\"{1}\" text-anchor=\"{2}\">{3}"
            "<tspan x=\"{0:.1f}\" dy=\"{4}\">{5}</tspan></text>\n",
            paper.x(commit),
            paper.height() - 1.5 * line_height,
            commit == 0 ? "start" : "end",
            commit == 0 ? "good" : "bad",
            line_height,
            story.revision(commit).brief());
    }
    return svg;
}

std::string runs_of(
    const Story& story,
    const search::Decision& decision,
    const std::vector<LevelDot>& dots,
    const Paper& paper) {
    const std::string unit = unit_of(story.order());
    std::string svg;
    for (const auto& dot : dots) {
        svg += fmt::format(
            "<circle class=\"run\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\">{}</circle>\n",
            paper.x(dot.commit),
            paper.y(dot.value),
            tooltip(story, dot.commit, ", " + value_text(dot.value, unit)));
    }
    for (const auto& row : level_rows(story, decision)) {
        svg += fmt::format(
            "<line class=\"median{}\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" "
            "y2=\"{:.1f}\"/>\n",
            row.runs == 1 ? " one" : "",
            paper.x(row.commit) - paper.sheet().tick,
            paper.x(row.commit) + paper.sheet().tick,
            paper.y(row.value),
            paper.y(row.value));
    }
    for (int commit = 0; commit <= story.last(); ++commit) {
        const auto& mine = story.commit(commit);
        if (!mine.values.empty() || !(does_not_build(mine) || mine.runs_failed > 0)) continue;
        svg += fmt::format(
            "<text class=\"broken\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">×{}</text>\n",
            paper.x(commit),
            paper.sheet().levels_bottom + line_height,
            tooltip(story, commit, ": gives no value"));
    }
    return svg;
}

std::string probabilities(
    const Story& story, const search::Decision& decision, const Paper& paper) {
    const auto& posterior = decision.posterior.front();
    const double highest = *std::max_element(posterior.begin(), posterior.end());
    const double width = std::max(0.8 * (paper.x(1) - paper.x(0)), paper.sheet().least_p);
    std::string svg = fmt::format(
        "<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"end\">chance</text>\n",
        paper.sheet().left - 8,
        paper.chart_bottom());
    for (int commit = 1; commit <= story.last() && highest > 0; ++commit) {
        const double p = posterior[static_cast<std::size_t>(commit) - 1];
        if (p < 1e-4 * highest) continue;
        const double height = p / highest * paper.sheet().chart_height;
        svg += fmt::format(
            "<rect class=\"p\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}"
            "</rect>\n",
            paper.x(commit) - width / 2,
            paper.chart_bottom() - height,
            width,
            height,
            tooltip(story, commit, fmt::format(", {:.1f} %", 100 * p)));
    }
    return svg;
}

/// A stretch of commits over the whole height, with its name at `label_y`.
std::string marked(
    const Story& story,
    const search::SeriesEnding& ending,
    const Paper& paper,
    const char* kind,
    double label_y,
    const std::string& why) {
    const bool one = ending.first == ending.last;
    const double from = paper.x(ending.first - 0.5);
    const double to = paper.x(ending.last + (one ? -0.49 : 0.5));
    const std::string name =
        one ? story.revision(ending.first).brief()
            : story.revision(ending.first).brief() + " to " + story.revision(ending.last).brief();
    const bool left = from > paper.sheet().width / 2;
    return fmt::format(
        "<rect class=\"{0}\" x=\"{1:.1f}\" y=\"{2}\" width=\"{3:.1f}\" height=\"{4}\">{5}</rect>"
        "<text class=\"axis\" x=\"{6:.1f}\" y=\"{7}\" text-anchor=\"{8}\">{9}</text>\n",
        kind,
        from,
        paper.sheet().levels_top,
        std::max(to - from, 2.0),
        paper.chart_bottom() - paper.sheet().levels_top,
        tooltip(story, ending.last, ", " + why),
        left ? from - 4 : std::max(to, from + 2) + 4,
        label_y,
        left ? "end" : "start",
        name);
}

std::string culprits(const Story& story, const search::Decision& decision, const Paper& paper) {
    if (!decision.done) return "";
    const auto& ending = decision.endings.front();
    std::string svg;
    for (const auto& further : decision.further) {
        svg += marked(
            story,
            further,
            paper,
            "further",
            paper.chart_bottom() + line_height,
            "a further change");
    }
    if (ending.ending == search::Ending::not_reproduced) return svg;
    return svg +
           marked(
               story, ending, paper, "found", paper.sheet().levels_top - 6, verdict_text(decision));
}

std::string drawing(const Story& story, const search::Decision& decision, const Sheet& sheet) {
    const auto dots = level_dots(story);
    const Paper paper(story, dots, sheet);
    return fmt::format(
               "<svg class=\"{}\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
               "role=\"img\" aria-label=\"{} of each measured commit\">\n",
               sheet.name,
               sheet.width,
               paper.height(),
               measure_text(story.order())) +
           grid(story, paper) + culprits(story, decision, paper) +
           runs_of(story, decision, dots, paper) + probabilities(story, decision, paper) +
           "</svg>\n";
}

}  // namespace

std::string level_plot(const Story& story, const search::Decision& decision) {
    return drawing(story, decision, wide_sheet) + drawing(story, decision, narrow_sheet);
}

}  // namespace vigil::local
