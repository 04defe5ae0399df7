#include "service/pages/measured/chart.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;
using Column = std::vector<std::optional<double>>;
using Places = std::vector<std::size_t>;

constexpr double chart_width = 1000;
constexpr double chart_height = 300;
constexpr std::size_t most_of_a_night = 40;
constexpr std::size_t all_drawn = 300;  // nights: of more than these, the ends of stretches
constexpr std::size_t stretches = 250;

/// Where nights and values lie in the drawing.
struct Drawing {
    const Charted& charted;
    chart::ChartAxis axis;

    double place_of(std::size_t at) const {
        return chart_width * (static_cast<double>(at) + .5) /
               static_cast<double>(charted.nights.size());
    }
    std::string x_of(std::size_t at) const { return coordinate(place_of(at)); }
    std::string y_of(double value) const { return coordinate(axis.place_of(value)); }
    std::string words(double value) const { return value_words(value, charted.unit); }
};

template <class Of>
Column column(const Charted& charted, Of of) {
    Column values;
    for (const auto& night : charted.nights) values.push_back(night.*of);
    return values;
}

/// The nights that are drawn of a line between these lowest and highest values: of a long one those
/// with the lowest and the highest of each stretch, and one of a stretch that has none.
Places drawn_of(const Column& low, const Column& high) {
    Places drawn;
    const auto count = low.size();
    if (count <= all_drawn) {
        for (std::size_t at = 0; at < count; ++at) drawn.push_back(at);
        return drawn;
    }
    for (std::size_t i = 0; i < stretches; ++i) {
        const auto from = count * i / stretches;
        const auto to = count * (i + 1) / stretches;
        auto lowest = from;
        auto highest = from;
        for (auto at = from; at < to; ++at) {
            if (low[at] && (!low[lowest] || *low[at] < *low[lowest])) lowest = at;
            if (high[at] && (!high[highest] || *high[at] > *high[highest])) highest = at;
        }
        drawn.push_back(std::min(lowest, highest));
        if (lowest != highest) drawn.push_back(std::max(lowest, highest));
    }
    return drawn;
}

Places drawn_of(const Column& values) {
    return drawn_of(values, values);
}

/// The path of lines through nights.
class Path {
  public:
    explicit Path(const Drawing& drawing) : drawing_(drawing) {}

    /// @param how  M: begins there; L: goes there
    void add(char how, std::size_t at, double value) {
        text_ += how;
        add_coordinate(text_, drawing_.place_of(at));
        text_ += ' ';
        add_coordinate(text_, drawing_.axis.place_of(value));
    }
    /// Straight up or down.
    void add_upright(double value) {
        text_ += 'V';
        add_coordinate(text_, drawing_.axis.place_of(value));
    }
    void close() { text_ += 'Z'; }

    std::string take() { return std::move(text_); }

  private:
    const Drawing& drawing_;
    std::string text_;
};

/// A line through these places; it breaks where one has no value.
std::string line_of(const Column& values, const Places& places, const Drawing& drawing) {
    Path line(drawing);
    bool is_drawn = false;
    for (const auto at : places) {
        if (values[at]) line.add(is_drawn ? 'L' : 'M', at, *values[at]);
        is_drawn = values[at].has_value();
    }
    return line.take();
}

/// The stretch between baseline and threshold, as shapes without a hole: there along the threshold,
/// back along the baseline.
std::string band_of(const Places& places, const Drawing& drawing) {
    const auto& nights = drawing.charted.nights;
    Path band(drawing);
    const auto lacks = [&](std::size_t at) { return !nights[at].base || !nights[at].limit; };
    for (auto from = places.begin(); from != places.end();) {
        const auto to = std::find_if(from, places.end(), lacks);
        for (auto at = from; at != to; ++at) {
            band.add(at == from ? 'M' : 'L', *at, *nights[*at].limit);
        }
        for (auto at = to; at != from;) {
            --at;
            band.add('L', *at, *nights[*at].base);
        }
        if (from != to) band.close();
        from = to == places.end() ? to : std::next(to);
    }
    return band.take();
}

std::string whiskers_of(const Places& places, const Drawing& drawing) {
    Path whiskers(drawing);
    for (const auto at : places) {
        const auto& night = drawing.charted.nights[at];
        if (!night.value || !night.low || !night.high || *night.low == *night.high) continue;
        whiskers.add('M', at, *night.low);
        whiskers.add_upright(*night.high);
    }
    return whiskers.take();
}

/// Where a line has points of its own: everywhere, or, where they would hide it and say nothing
/// that it and the table do not, where it has a night alone, between two that have no value.
Places pointed(const Column& values, const Places& drawn) {
    if (values.size() <= all_drawn) return drawn;
    const auto has = [&](std::size_t at) { return at < drawn.size() && values[drawn[at]]; };
    Places alone;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        if (has(i) && !has(i + 1) && (i == 0 || !has(i - 1))) alone.push_back(drawn[i]);
    }
    return alone;
}

json points_of(const Column& values, const Places& places, const Drawing& drawing) {
    auto points = json::array();
    for (const auto at : places) {
        if (!values[at]) continue;
        points.push_back(
            {{"x", drawing.x_of(at)},
             {"y", drawing.y_of(*values[at])},
             {"label", drawing.charted.nights[at].name + ": " + drawing.words(*values[at])}});
    }
    return points;
}

json left_out_of(const Drawing& drawing) {
    auto points = json::array();
    for (const auto& [at, value] : drawing.charted.left_out) {
        points.push_back({{"x", drawing.x_of(at)}, {"y", drawing.y_of(value)}});
    }
    return points;
}

json sessions_of(const Drawing& drawing) {
    auto sessions = json::array();
    for (const auto& [at, before, after] : drawing.charted.sessions) {
        sessions.push_back(
            {{"x", drawing.x_of(at)},
             {"before", drawing.y_of(before)},
             {"after", drawing.y_of(after)},
             {"label",
              fmt::format(
                  "measured again: {} to {}", drawing.words(before), drawing.words(after))}});
    }
    return sessions;
}

json levels_of(const Drawing& drawing) {
    auto levels = json::array();
    for (const auto& [from, to, value] : drawing.charted.levels) {
        levels.push_back(
            {{"from", drawing.x_of(from)}, {"to", drawing.x_of(to)}, {"y", drawing.y_of(value)}});
    }
    return levels;
}

json marks_of(const Places& places, const Drawing& drawing) {
    auto marks = json::array();
    for (const auto at : places) marks.push_back({{"x", drawing.x_of(at)}});
    return marks;
}

json days_of(const Charted& charted) {
    const auto& nights = charted.nights;
    auto days = json::array();
    for (const auto at : {std::size_t{0}, nights.size() / 2, nights.size() - 1}) {
        days.push_back({{"day", shown_text(nights[at].name, 16)}});
    }
    return days;
}

/// An axis that holds all of it.
chart::ChartAxis axis_of(const Charted& charted) {
    chart::ValueRange range;
    const auto take = [&](std::optional<double> value) {
        if (value) range.add(*value);
    };
    for (const auto& night : charted.nights) {
        if (!night.value) continue;
        for (const auto value : {night.value, night.low, night.high, night.base, night.limit}) {
            take(value);
        }
    }
    for (const auto& session : charted.sessions) {
        take(session.before);
        take(session.after);
    }
    for (const auto& over : charted.over) {
        for (const auto value : over.values) take(value);
    }
    return service::axis_of(range, charted.unit, charted.scale, chart_height);
}

/// The series that lie over it, each with a number that its line and its legend share.
json over_of(const Drawing& drawing) {
    auto all = json::array();
    for (const auto& over : drawing.charted.over) {
        const auto places = drawn_of(over.values);
        json one = {
            {"number", all.size() + 1},
            {"id", over.series},
            {"name", over.name},
            {"line", line_of(over.values, places, drawing)}};
        one["dots"] = points_of(over.values, pointed(over.values, places), drawing);
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace

json chart_view(const ToldChart& chart, const ChartAxes& axes) {
    const auto shown = charted(chart, axes);
    if (shown.measured < 2) return nullptr;
    const Drawing drawing{shown, axis_of(shown)};
    const auto values = column(shown, &ChartedNight::value);
    const auto base = column(shown, &ChartedNight::base);
    const auto drawn =
        drawn_of(column(shown, &ChartedNight::low), column(shown, &ChartedNight::high));
    const auto band = drawn_of(base, column(shown, &ChartedNight::limit));
    json view = {
        {"template", "chart.html"},
        {"plot", plot_text(shown)},
        {"words", chart_words(chart)},
        {"band", band_of(band, drawing)},
        {"base", line_of(base, band, drawing)},
        {"line", line_of(values, drawn, drawing)},
        {"whiskers", whiskers_of(drawn, drawing)},
        {"points", points_of(values, pointed(values, drawn), drawing)},
        {"left_out", left_out_of(drawing)},
        {"sessions", sessions_of(drawing)},
        {"levels", levels_of(drawing)},
        {"marks", marks_of(shown.regressions, drawing)},
        {"begun", marks_of(shown.begun, drawing)},
        {"moved", marks_of(shown.moved, drawing)},
        {"pinned", shown.pinned ? json{{"y", drawing.y_of(*shown.pinned)}} : json()},
        {"over", over_of(drawing)},
        {"ticks", ticks_of(drawing.axis, shown.unit)},
        {"days", days_of(shown)}};
    const auto has = [&](const char* key, bool is) { view[std::string("has_") + key] = is; };
    for (const auto* key : {"left_out", "sessions", "marks", "begun", "moved"}) {
        has(key, !view.at(key).empty());
    }
    has("base", !view.at("base").get_ref<const std::string&>().empty());
    has("levels", view.at("levels").size() > 1);
    has("pinned", shown.pinned.has_value());
    return view;
}

std::string chart_words(const ToldChart& chart) {
    const ChartNight* first = nullptr;
    const ChartNight* last = nullptr;
    std::int64_t measured = 0;
    for (const auto& night : chart.nights) {
        if (!std::isfinite(night.value)) continue;
        if (first == nullptr) first = &night;
        last = &night;
        ++measured;
    }
    if (measured == 0) return "No night of these has a value.";
    const auto unit = name_words(chart.facts.unit);
    const auto name = [](const ChartNight& night) {
        return shown_text(night.name, most_of_a_night);
    };
    const auto now = text::quantity(last->value, unit);
    if (measured == 1 || first->value == 0) return now + " in " + name(*last) + ".";
    auto words = fmt::format(
        "{} in {}, from {} in {}: {} over {}.",
        now,
        name(*last),
        text::quantity(first->value, unit),
        name(*first),
        text::percent(last->value / first->value - 1),
        text::counted(measured, "measured night"));
    if (chart.facts.changes.empty()) {
        return words + (chart.facts.levels.empty() ? "" : " One level fits all of them.");
    }
    const auto& change = chart.facts.changes.back();
    const auto level = [&](std::optional<double> value) {
        return value ? text::quantity(*value, unit) : "?";
    };
    const auto moved =
        std::ranges::find(chart.nights, NightlyId{change.first}, &ChartNight::nightly);
    return words + fmt::format(
                       " Its level last changed in {}: {} to {}{}.",
                       name(*moved),
                       level(change.before),
                       level(change.after),
                       change.certain ? "" : ", which is not certain");
}

}  // namespace vigil::service
