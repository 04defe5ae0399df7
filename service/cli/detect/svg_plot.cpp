#include "service/cli/detect/svg_plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/chart/axis.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

constexpr double svg_width = 960, panel_height = 240;
constexpr double left_edge = 90, right_edge = 940, top_edge = 30, bottom_edge = 200;
constexpr std::size_t most_points = 3000;  // of a series; of more, each dot is a median
constexpr std::size_t value_ticks = 4;

std::string escaped(const std::string& text) {
    return text::html(printable(text));
}

double middle_of(const std::vector<double>& values, std::size_t from, std::size_t to) {
    return median_of_measured(std::span(values).subspan(from, to - from));
}

/// Places nights and values of one series on the paper.
class Paper {
  public:
    Paper(const std::vector<double>& values, double top) : nights_(values.size()), top_(top) {
        chart::ValueRange range;
        for (const double value : values) range.add(value);
        if (range.empty()) return;
        // Halves, so that the range of huge values stays finite.
        const double margin =
            std::max(0.05 * (range.high / 2 - range.low / 2), 1e-3 * std::abs(range.high));
        range_ = range;
        range_.add(range.low - margin);
        range_.add(range.high + std::max(margin, 1e-300));
    }

    double x(double night) const {
        const double last = nights_ > 1 ? static_cast<double>(nights_ - 1) : 1;
        return left_edge + (right_edge - left_edge) * std::clamp(night / last, 0.0, 1.0);
    }
    double y(double value) const {
        const double share = std::clamp(range_.share_of(value), 0.0, 1.0);
        return top_ + bottom_edge - (bottom_edge - top_edge) * share;
    }
    double value_at(double share) const { return range_.low * (1 - share) + range_.high * share; }
    double top() const { return top_; }

  private:
    std::size_t nights_;
    double top_;
    chart::ValueRange range_{0, 1};
};

std::string axes(const History& history, const Paper& paper) {
    const double top = paper.top();
    std::string svg = fmt::format(
        "<text class='title' x='{:.1f}' y='{:.1f}'>{}</text>\n",
        left_edge,
        top + 18,
        escaped(history.name.empty() ? "series" : history.name));
    for (std::size_t i = 0; i <= value_ticks; ++i) {
        const double share = static_cast<double>(i) / value_ticks;
        const double y = top + bottom_edge - (bottom_edge - top_edge) * share;
        svg += fmt::format(
            "<path class='grid' d='M{:.1f} {:.1f}H{:.1f}'/>"
            "<text class='value' x='{:.1f}' y='{:.1f}'>{:.5g}</text>\n",
            left_edge,
            y,
            right_edge,
            left_edge - 6,
            y + 4,
            paper.value_at(share));
    }
    const auto night_text = [&](const char* anchor, double x, const std::string& night) {
        svg += fmt::format(
            "<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>\n",
            x,
            top + bottom_edge + 18,
            anchor,
            escaped(night));
    };
    if (history.nights.empty()) return svg;
    night_text("start", left_edge, history.nights.front());
    if (history.nights.size() > 1) night_text("end", right_edge, history.nights.back());
    return svg;
}

std::string dots(const History& history, const Paper& paper) {
    const std::size_t n = history.values.size();
    const std::size_t points = std::min(n, most_points);
    std::string path;
    for (std::size_t i = 0; i < points; ++i) {
        const std::size_t from = i * n / points;
        const std::size_t to = std::max(from + 1, (i + 1) * n / points);
        const double value = middle_of(history.values, from, to);
        if (!std::isfinite(value)) continue;
        const double night = static_cast<double>(from + to - 1) / 2;
        path += fmt::format("M{:.1f} {:.1f}h0", paper.x(night), paper.y(value));
    }
    return path.empty() ? "" : "<path class='night' d='" + path + "'/>\n";
}

std::string changes(const History& history, const Study& study, const Paper& paper) {
    std::string svg;
    const double top = paper.top() + top_edge, height = bottom_edge - top_edge;
    for (const auto& studied : study.changes) {
        const auto& change = studied.change;
        const bool moved = studied.kind == ChangeKind::environment;
        const std::string kind(moved ? "moved" : to_string(studied.kind));
        const double from = paper.x(static_cast<double>(change.earliest) - 0.5);
        const double to = paper.x(static_cast<double>(change.latest) + 0.5);
        svg += fmt::format(
            "<rect class='{}' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}'>"
            "<title>{} since {}: {} ({} to {}), {}</title></rect>\n",
            kind,
            from,
            top,
            std::max(1.5, to - from),
            height,
            moved ? "another environment" : kind,
            escaped(history.nights[change.first]),
            text::percent(change.change_ratio),
            text::percent(change.low),
            text::percent(change.high),
            studied.sure ? "sure" : "not sure");
        if (!studied.raised) continue;
        const double x = paper.x(static_cast<double>(*studied.raised));
        svg += fmt::format(
            "<path class='raised {}' d='M{:.1f} {:.1f}l-5 -9h10z'><title>raised on {}</title>"
            "</path>\n",
            kind,
            x,
            top,
            escaped(history.nights[*studied.raised]));
    }
    return svg;
}

std::string levels(const History& history, const Study& study, const Paper& paper) {
    std::vector<std::size_t> cuts{0};
    for (const auto& studied : study.changes) cuts.push_back(studied.change.first);
    cuts.push_back(history.values.size());
    std::sort(cuts.begin(), cuts.end());
    std::string path;
    for (std::size_t i = 1; i < cuts.size(); ++i) {
        if (cuts[i] == cuts[i - 1]) continue;
        const double middle = middle_of(history.values, cuts[i - 1], cuts[i]);
        if (!std::isfinite(middle)) continue;
        path += fmt::format(
            "M{:.1f} {:.1f}H{:.1f}",
            paper.x(static_cast<double>(cuts[i - 1])),
            paper.y(middle),
            paper.x(static_cast<double>(cuts[i] - 1)));
    }
    return path.empty() ? "" : "<path class='level' d='" + path + "'/>\n";
}

}  // namespace

std::string svg_plot(const std::vector<SvgPanel>& panels) {
    const std::size_t shown = std::min(panels.size(), most_svg_panels);
    const double height = panel_height * static_cast<double>(shown) + 30;
    std::string svg = fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:g} {1:g}' width='{0:g}' "
        "height='{1:g}'>\n<style>svg{{background:#fff}}text{{font:12px sans-serif;fill:#333}}"
        ".title{{font-weight:bold}}.value{{text-anchor:end}}.grid{{stroke:#ddd}}"
        ".night{{stroke:#456;stroke-width:4;stroke-linecap:round;fill:none}}"
        ".level{{stroke:#000;stroke-width:2;fill:none}}rect{{fill-opacity:.25}}"
        ".worse{{fill:#c22}}.better{{fill:#282}}.moved{{fill:#88a}}</style>\n",
        svg_width,
        height);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& [history, study] = panels[i];
        const Paper paper(history->values, panel_height * static_cast<double>(i));
        svg += axes(*history, paper) + changes(*history, *study, paper) +
               levels(*history, *study, paper) + dots(*history, paper);
    }
    if (shown < panels.size()) {
        svg += fmt::format(
            "<text x='{:.1f}' y='{:.1f}'>and {} series more</text>\n",
            left_edge,
            height - 10,
            panels.size() - shown);
    }
    return svg + "</svg>\n";
}

}  // namespace vigil::cli
