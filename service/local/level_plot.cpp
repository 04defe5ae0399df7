#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "service/local/answer.hpp"
#include "service/local/report.hpp"
#include "service/local/text.hpp"

namespace vigil::local {

namespace {

constexpr double plot_width = 860;
constexpr double plot_left = 90;
constexpr double plot_right = 20;
constexpr double levels_top = 28;
constexpr double levels_bottom = 280;
constexpr double chart_top = 310;
constexpr double chart_bottom = 370;
constexpr double plot_height = 410;
constexpr double most_grid_lines = 6;

/// Places on the paper.
class Paper {
  public:
    explicit Paper(const Story& story) : last_(story.last()) {
        bool any = false;
        for (int commit = 0; commit <= last_; ++commit) {
            for (const double value : story.commit(commit).values) {
                low_ = any ? std::min(low_, value) : value;
                high_ = any ? std::max(high_, value) : value;
                any = true;
            }
        }
        const double margin = std::max(0.08 * (high_ - low_), 0.005 * high_);
        low_ = std::max(low_ - margin, 0.0);
        high_ += margin;
    }
    double x(double commit) const {
        return plot_left + commit / last_ * (plot_width - plot_left - plot_right);
    }
    double y(double value) const {
        const double share = high_ > low_ ? (value - low_) / (high_ - low_) : 0.5;
        return levels_bottom - share * (levels_bottom - levels_top);
    }
    /// Values to draw a line at: multiples of 1, 2 or 5 times a power of ten; of bytes, of KiB, MiB
    /// and so on.
    std::vector<double> grid(bool bytes) const {
        const double least = (high_ - low_) / (most_grid_lines - 1);
        if (!(least > 0)) return {low_};
        double unit = 1;
        while (bytes && unit * 1024 <= least) unit *= 1024;
        double step = unit * std::pow(10, std::floor(std::log10(least / unit)));
        for (const double factor : {2.0, 2.5, 2.0}) {
            if (step < least) step *= factor;
        }
        std::vector<double> lines;
        for (double line = std::ceil(low_ / step); line * step <= high_; ++line) {
            lines.push_back(line * step);
        }
        return lines;
    }

  private:
    double last_;
    double low_ = 0;
    double high_ = 1;
};

std::string tooltip(const Story& story, int commit, const std::string& more) {
    std::string text = fmt::format("{}: {}", commit, story.revision(commit).brief());
    if (commit > 0) text += " " + shown(story.suspect(commit).subject, 80);
    return "<title>" + html_escaped(text + more) + "</title>";
}

std::string grid(const Story& story, const Paper& paper) {
    std::string svg;
    const Metric metric = metric_of(story.order().measure);
    for (const double value : paper.grid(kind_of(metric) == MetricKind::memory)) {
        svg += fmt::format(
            "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
            "<text class=\"axis\" x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
            plot_left,
            plot_width - plot_right,
            paper.y(value),
            plot_left - 8,
            paper.y(value) + 4,
            html_escaped(value_text(value, metric)));
    }
    for (const int commit : {0, story.last()}) {
        svg += fmt::format(
            "<text class=\"axis\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">commit {}, {} "
            "{}</text>\n",
            paper.x(commit),
            plot_height - 12,
            commit == 0 ? "start" : "end",
            commit,
            commit == 0 ? "good" : "bad",
            story.revision(commit).brief());
    }
    return svg;
}

std::string runs_of(const Story& story, const Paper& paper) {
    const Metric metric = metric_of(story.order().measure);
    std::string svg;
    for (int commit = 0; commit <= story.last(); ++commit) {
        const auto& mine = story.commit(commit);
        for (const double value : mine.values) {
            svg += fmt::format(
                "<circle class=\"run\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\">{}</circle>\n",
                paper.x(commit),
                paper.y(value),
                tooltip(story, commit, ", " + value_text(value, metric)));
        }
        if (!mine.values.empty()) {
            svg += fmt::format(
                "<line class=\"median\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" "
                "y2=\"{:.1f}\"/>\n",
                paper.x(commit) - 6,
                paper.x(commit) + 6,
                paper.y(stats::median(mine.values)),
                paper.y(stats::median(mine.values)));
        } else if (mine.builds_failed > 0 || mine.runs_failed > 0) {
            svg += fmt::format(
                "<text class=\"broken\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">×{}</text>\n",
                paper.x(commit),
                levels_bottom + 14,
                tooltip(story, commit, ": gives no value"));
        }
    }
    return svg;
}

std::string probabilities(
    const Story& story, const search::Decision& decision, const Paper& paper) {
    const auto& posterior = decision.posterior.front();
    const double highest = *std::max_element(posterior.begin(), posterior.end());
    const double width = std::max(0.8 * (paper.x(1) - paper.x(0)), 1.0);
    std::string svg = fmt::format(
        "<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"end\">probability</text>\n",
        plot_left - 8,
        chart_bottom);
    for (int commit = 1; commit <= story.last() && highest > 0; ++commit) {
        const double p = posterior[static_cast<std::size_t>(commit) - 1];
        if (p < 1e-4 * highest) continue;
        const double height = p / highest * (chart_bottom - chart_top);
        svg += fmt::format(
            "<rect class=\"p\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}"
            "</rect>\n",
            paper.x(commit) - width / 2,
            chart_bottom - height,
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
    const bool left = from > plot_width / 2;
    return fmt::format(
        "<rect class=\"{0}\" x=\"{1:.1f}\" y=\"{2}\" width=\"{3:.1f}\" height=\"{4}\">{5}</rect>"
        "<text class=\"axis\" x=\"{6:.1f}\" y=\"{7}\" text-anchor=\"{8}\">{9}</text>\n",
        kind,
        from,
        levels_top,
        std::max(to - from, 2.0),
        chart_bottom - levels_top,
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
        svg += marked(story, further, paper, "further", chart_bottom + 14, "a lesser change");
    }
    if (ending.ending == search::Ending::not_reproduced) return svg;
    return svg + marked(story, ending, paper, "found", levels_top - 6, verdict_text(decision));
}

}  // namespace

std::string level_plot(const Story& story, const search::Decision& decision) {
    const Paper paper(story);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
               "aria-label=\"{} of each measured commit\">\n",
               plot_width,
               plot_height,
               measure_text(story.order().measure)) +
           "<style>.grid{stroke:#ccc}.axis{font:12px sans-serif;fill:#555}"
           ".run{fill:#1f6feb;fill-opacity:.55}.median{stroke:#0a3069;stroke-width:2}"
           ".broken{font:14px sans-serif;fill:#b35900}.p{fill:#8250df}"
           ".found{fill:#cf222e;fill-opacity:.35}.further{fill:#9a6700;fill-opacity:.35}</"
           "style>\n" +
           grid(story, paper) + culprits(story, decision, paper) + runs_of(story, paper) +
           probabilities(story, decision, paper) + "</svg>\n";
}

}  // namespace vigil::local
