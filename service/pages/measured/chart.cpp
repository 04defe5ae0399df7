#include "service/pages/measured/chart.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr double chart_width = 1000;
constexpr double chart_height = 300;
constexpr std::size_t short_name = 40;

std::optional<double> number_of(const json& object, const char* key) {
    const auto& value = member(object, key);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

/// The first value of a chart's nights.
std::optional<double> first_value(const json& chart) {
    for (const auto& night : chart.at("nights")) {
        if (const auto value = number_of(night, "value")) return value;
    }
    return std::nullopt;
}

/// How the values of one series become those of the axis.
struct Shown {
    ChartValues values = ChartValues::absolute;
    double reference = 1;

    double operator()(double value) const {
        return values == ChartValues::absolute ? value : value / reference - 1;
    }
};

/// Where nights and values lie in the drawing.
struct Drawing {
    ChartAxis axis;
    std::string unit;
    Shown shown;
    std::map<std::int64_t, std::size_t> places;  ///< of nights

    std::optional<std::string> x_of(std::int64_t nightly) const {
        const auto found = places.find(nightly);
        if (found == places.end()) return std::nullopt;
        return coordinate(
            chart_width * (static_cast<double>(found->second) + .5) /
            static_cast<double>(places.size()));
    }
    std::string y_of(double value) const { return coordinate(axis.place_of(shown(value))); }
    std::string words(double value) const { return value_words(shown(value), unit); }
};

/// A line through the nights that have this number; it breaks where one has none.
std::string line_of(const json& nights, const char* key, const Drawing& drawing) {
    std::string line;
    bool is_drawn = false;
    for (const auto& night : nights) {
        const auto value = number_of(night, key);
        const auto x = drawing.x_of(night.at("nightly").get<std::int64_t>());
        if (value && x) {
            line += fmt::format("{}{} {} ", is_drawn ? "L" : "M", *x, drawing.y_of(*value));
        }
        is_drawn = value && x;
    }
    return line;
}

/// The stretch between baseline and threshold, as shapes without a hole.
std::string band_of(const json& nights, const Drawing& drawing) {
    std::string band;
    std::string back;
    for (const auto& night : nights) {
        const auto base = number_of(night, "base");
        const auto limit = number_of(night, "limit");
        if (!base || !limit) {
            if (!back.empty()) band += back + "Z ";
            back.clear();
            continue;
        }
        const auto x = *drawing.x_of(night.at("nightly").get<std::int64_t>());
        band += fmt::format("{}{} {} ", back.empty() ? "M" : "L", x, drawing.y_of(*limit));
        back = fmt::format("L{} {} ", x, drawing.y_of(*base)) + back;
    }
    return back.empty() ? band : band + back + "Z";
}

json points_of(const json& nights, const Drawing& drawing) {
    auto points = json::array();
    for (const auto& night : nights) {
        const auto value = number_of(night, "value");
        const auto x = drawing.x_of(night.at("nightly").get<std::int64_t>());
        if (!value || !x) continue;
        points.push_back(
            {{"x", *x},
             {"y", drawing.y_of(*value)},
             {"low", drawing.y_of(number_of(night, "low").value_or(*value))},
             {"high", drawing.y_of(number_of(night, "high").value_or(*value))},
             {"label",
              shown_text(night.at("night").get<std::string>(), short_name) + ": " +
                  drawing.words(*value)}});
    }
    return points;
}

json left_out_of(const json& nights, const Drawing& drawing) {
    auto points = json::array();
    for (const auto& night : nights) {
        const auto x = drawing.x_of(night.at("nightly").get<std::int64_t>());
        for (const auto& value : night.at("left_out")) {
            points.push_back({{"x", *x}, {"y", drawing.y_of(value.get<double>())}});
        }
    }
    return points;
}

/// Sessions of these nights: what both builds measured in turns.
json sessions_of(const json& chart, const Drawing& drawing) {
    auto sessions = json::array();
    for (const auto& session : chart.at("sessions")) {
        const auto before = number_of(session.at("confirmed"), "before");
        const auto after = number_of(session.at("confirmed"), "after");
        const auto runs = number_of(session.at("confirmed"), "runs_before");
        const auto x = drawing.x_of(session.at("nightly").get<std::int64_t>());
        if (!before || !after || !x || runs.value_or(0) < 1) continue;
        sessions.push_back(
            {{"x", *x},
             {"before", drawing.y_of(*before)},
             {"after", drawing.y_of(*after)},
             {"label",
              fmt::format(
                  "measured again: {} to {}", drawing.words(*before), drawing.words(*after))}});
    }
    return sessions;
}

json levels_of(const json& chart, const Drawing& drawing) {
    auto levels = json::array();
    for (const auto& level : chart.at("levels")) {
        levels.push_back(
            {{"from", *drawing.x_of(level.at("first").get<std::int64_t>())},
             {"to", *drawing.x_of(level.at("last").get<std::int64_t>())},
             {"y", drawing.y_of(level.at("value").get<double>())}});
    }
    return levels;
}

/// Places of the nights that these things name, each once.
json marks_of(const json& things, const char* kind, const Drawing& drawing) {
    auto marks = json::array();
    std::string last;
    for (const auto& thing : things) {
        if (*kind != '\0' && member(thing, "kind") != kind) continue;
        const auto x = drawing.x_of(thing.at("nightly").get<std::int64_t>());
        if (x && *x != last) marks.push_back({{"x", *x}});
        last = x.value_or(last);
    }
    return marks;
}

json days_of(const json& nights) {
    auto days = json::array();
    for (const auto at : {std::size_t{0}, nights.size() / 2, nights.size() - 1}) {
        days.push_back({{"day", shown_text(nights[at].at("night").get<std::string>(), 16)}});
    }
    return days;
}

/// What the axis has to hold.
struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    int measured = 0;

    void take(std::optional<double> value, const Shown& shown) {
        if (!value || !std::isfinite(shown(*value))) return;
        low = std::min(low, shown(*value));
        high = std::max(high, shown(*value));
    }
    void take(const json& chart, const Shown& shown) {
        for (const auto& night : chart.at("nights")) {
            if (!night.at("value").is_number()) continue;
            ++measured;
            for (const auto* key : {"value", "low", "high", "base", "limit"}) {
                take(number_of(night, key), shown);
            }
        }
        for (const auto& session : chart.at("sessions")) {
            if (number_of(session.at("confirmed"), "runs_before").value_or(0) < 1) continue;
            take(number_of(session.at("confirmed"), "before"), shown);
            take(number_of(session.at("confirmed"), "after"), shown);
        }
    }
};

/// The pinned night's value, as far as it is one of these.
json pinned_of(const json& chart, const Drawing& drawing) {
    for (const auto& baseline : chart.at("baselines")) {
        if (baseline.at("kind") != "pinned") continue;
        for (const auto& night : chart.at("nights")) {
            const auto value = number_of(night, "value");
            if (night.at("nightly") == baseline.at("nightly") && value) {
                return {{"y", drawing.y_of(*value)}};
            }
        }
    }
    return nullptr;
}

json other_view(const json& other, const Drawing& drawing) {
    return {
        {"line", line_of(other.at("nights"), "value", drawing)},
        {"dots", points_of(other.at("nights"), drawing)}};
}

}  // namespace

json chart_view(const json& chart, const json& other, const ChartAxes& axes) {
    const auto& nights = chart.at("nights");
    const auto unit = name_words(chart.at("unit"));
    Drawing drawing;
    drawing.shown = {axes.values, first_value(chart).value_or(1)};
    Shown others{axes.values, 1};
    Extent extent;
    extent.take(chart, drawing.shown);
    if (extent.measured < 2) return nullptr;
    if (other.is_object()) {
        others.reference = first_value(other).value_or(1);
        extent.take(other, others);
    }
    drawing.unit = axes.values == ChartValues::relative ? relative_unit : unit;
    drawing.axis = axis_of(extent.low, extent.high, drawing.unit, axes.scale, chart_height);
    for (const auto& night : nights) {
        drawing.places.emplace(night.at("nightly").get<std::int64_t>(), drawing.places.size());
    }
    json view = {
        {"template", "chart.html"},
        {"words", chart_words(chart)},
        {"band", band_of(nights, drawing)},
        {"base", line_of(nights, "base", drawing)},
        {"line", line_of(nights, "value", drawing)},
        {"points", points_of(nights, drawing)},
        {"left_out", left_out_of(nights, drawing)},
        {"sessions", sessions_of(chart, drawing)},
        {"levels", levels_of(chart, drawing)},
        {"marks", marks_of(chart.at("regressions"), "", drawing)},
        {"begun", marks_of(chart.at("baselines"), "rolling", drawing)},
        {"moved", marks_of(chart.at("environments"), "", drawing)},
        {"pinned", pinned_of(chart, drawing)},
        {"ticks", ticks_of(drawing.axis, drawing.unit)},
        {"days", days_of(nights)}};
    drawing.shown = others;
    if (other.is_object()) view["other"] = other_view(other, drawing);
    const auto has = [&](const char* key, bool is) { view[std::string("has_") + key] = is; };
    for (const auto* key : {"left_out", "sessions", "marks", "begun", "moved"}) {
        has(key, !view.at(key).empty());
    }
    has("base", !view.at("base").get_ref<const std::string&>().empty());
    has("levels", view.at("levels").size() > 1);
    has("pinned", view.at("pinned").is_object());
    return view;
}

std::string chart_words(const json& chart) {
    const json* first = nullptr;
    const json* last = nullptr;
    std::int64_t measured = 0;
    std::map<std::int64_t, std::string> names;
    for (const auto& night : chart.at("nights")) {
        const auto name = shown_text(night.at("night").get<std::string>(), short_name);
        names.emplace(night.at("nightly").get<std::int64_t>(), name);
        if (!night.at("value").is_number()) continue;
        if (first == nullptr) first = &night;
        last = &night;
        ++measured;
    }
    if (measured == 0) return "No night of these has a value.";
    const auto unit = name_words(chart.at("unit"));
    const auto value = [&](const json& night) { return night.at("value").get<double>(); };
    const auto name = [&](const json& night) {
        return names.at(night.at("nightly").get<std::int64_t>());
    };
    const auto now = text::quantity(value(*last), unit);
    if (measured == 1 || value(*first) == 0) return now + " in " + name(*last) + ".";
    auto words = fmt::format(
        "{} in {}, from {} in {}: {} over {}.",
        now,
        name(*last),
        text::quantity(value(*first), unit),
        name(*first),
        text::percent(value(*last) / value(*first) - 1),
        text::counted(measured, "measured night"));
    const auto& changes = chart.at("changes");
    if (changes.empty()) return words + " One level fits all of them.";
    const auto& change = changes.back();
    const auto before = number_of(change, "before").value_or(0);
    const auto after = number_of(change, "after").value_or(0);
    return words + fmt::format(
                       " Its level last changed in {}: {} to {}{}.",
                       names.at(change.at("first").get<std::int64_t>()),
                       text::quantity(before, unit),
                       text::quantity(after, unit),
                       change.at("certain").get<bool>() ? "" : ", which is not certain");
}

}  // namespace vigil::service
