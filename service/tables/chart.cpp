#include "service/tables/chart.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "service/tables/notable.hpp"
#include "service/tables/text_parts.hpp"

namespace vigil::tables {

namespace {

// In pixels.
constexpr int width = 860;
constexpr int names_width = 300;
constexpr int values_width = 90;
constexpr int row_height = 18;
constexpr int title_height = 40;
constexpr int bars_width = width - names_width - values_width;
constexpr std::size_t longest_name = 44;  // in bytes

struct Bar {
    std::string name;
    double value = 0;
    std::string words;
};

struct Panel {
    std::string title;
    std::vector<Bar> bars;
    std::optional<double> line;  ///< a value to hold the bars against
    std::size_t without = 0;     ///< what has no bar
};

std::string escaped(const std::string& text) {
    return text::html(text::one_line(text));
}

std::string name_words(const Result& result) {
    if (result.batch == 0) return result.model;
    const std::string batch = result.batch == unbatched ? "" : "batch ";
    return result.model + ", " + batch + batch_words(result.batch);
}

Panel speedup_panel(const DashboardSuite& suite) {
    Panel panel{"Speedup: " + suite.label, {}, 1.0, 0};
    std::vector<const Result*> results;
    for (const auto& row : suite.rows) results.push_back(&row);
    sort_best_first(results);
    for (const auto* row : results) {
        const double speedup = row->get(Field::speedup).value_or(0);
        if ((!row->status.empty() && !is_passing(*row)) || speedup <= 0) {
            ++panel.without;
            continue;
        }
        panel.bars.push_back({name_words(*row), speedup, number_words(speedup, 2, "x")});
    }
    return panel;
}

Panel times_panel(const BatchTable& table) {
    Panel panel{"Time, ms: " + table.label, {}, std::nullopt, 0};
    for (const auto& row : table.rows) {
        for (const auto* cell : row.cells) {
            const double time_s = cell == nullptr ? 0 : cell->get(Field::time_s).value_or(0);
            if (cell == nullptr) continue;
            if (time_s <= 0) {
                ++panel.without;
                continue;
            }
            const std::string backend = cell->backend.empty() ? "" : ", " + cell->backend;
            panel.bars.push_back(
                {name_words(*cell) + backend, time_s, rounded_words(1000 * time_s, 3)});
        }
    }
    return panel;
}

Panel scaling_panel(const ScalingTable& table) {
    Panel panel{"Parallel efficiency: " + table.label, {}, 1.0, 0};
    for (const auto& row : table.rows) {
        if (!row.efficiency) continue;
        const std::string name =
            fmt::format("{}, {} {}", name_words(*row.result), row.workers, table.workers);
        panel.bars.push_back({name, *row.efficiency, percent_words(row.efficiency)});
    }
    return panel;
}

std::string bar_svg(const Bar& bar, double scale, int y, const Panel& panel) {
    const bool below = panel.line && bar.value < *panel.line;
    std::string name = bar.name;
    if (name.size() > longest_name) {
        name = std::string(text::first_bytes(name, longest_name - 1)) + "\u2026";
    }
    return fmt::format(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
        "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{}\">{}</text>\n",
        names_width - 8,
        y + row_height - 5,
        escaped(name),
        names_width,
        y + 2,
        bar.value * scale,
        row_height - 4,
        below ? "#c2571a" : "#2a6f97",
        names_width + bar.value * scale + 6,
        y + row_height - 5,
        escaped(bar.words));
}

/// @param y  where it begins; where it ends afterwards
std::string panel_svg(const Panel& panel, int& y) {
    double most = panel.line.value_or(0);
    for (const auto& bar : panel.bars) most = std::max(most, bar.value);
    const double scale = bars_width / most;
    std::string out = fmt::format(
        "<text x=\"8\" y=\"{}\" font-size=\"15\" font-weight=\"bold\">{}</text>\n",
        y + 26,
        escaped(panel.title));
    y += title_height;
    const int top = y;
    for (const auto& bar : panel.bars) {
        out += bar_svg(bar, scale, y, panel);
        y += row_height;
    }
    if (panel.line) {
        const double x = names_width + *panel.line * scale;
        out += fmt::format(
            "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#222\" "
            "stroke-dasharray=\"3 3\"/>\n",
            x,
            top,
            y);
    }
    if (panel.without == 0) return out;
    out += fmt::format(
        "<text x=\"{}\" y=\"{}\" fill=\"#555\">{} without a bar: no number, or it failed</text>\n",
        names_width,
        y + 14,
        panel.without);
    y += row_height;
    return out;
}

std::vector<Panel> panels_of(const Summary& summary) {
    std::vector<Panel> panels;
    for (const auto& suite : summary.dashboard) panels.push_back(speedup_panel(suite));
    for (const auto& table : summary.batches) {
        if (table.gains.empty()) panels.push_back(times_panel(table));
    }
    for (const auto& table : summary.scaling) panels.push_back(scaling_panel(table));
    std::erase_if(panels, [](const Panel& panel) { return panel.bars.empty(); });
    return panels;
}

}  // namespace

std::string chart_svg(const Summary& summary) {
    const auto panels = panels_of(summary);
    if (panels.empty()) return "";
    std::string inside;
    int y = 0;
    for (const auto& panel : panels) inside += panel_svg(panel, y);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}</svg>\n",
        width,
        y + 12,
        inside);
}

}  // namespace vigil::tables
