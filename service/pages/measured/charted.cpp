#include "service/pages/measured/charted.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t short_night = 40;
constexpr double plot_digits = 6;
constexpr double most_whole = 1e15;  // a double that is a whole number up to here is written as one

std::optional<double> number_of(const json& value) {
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<double> number_of(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// How the values of one series become those of the axis.
struct Shown {
    std::optional<double> reference;  ///< nothing: they are shown as they are

    std::optional<double> operator()(std::optional<double> value) const {
        if (!value || !reference) return value;
        const double change = *value / *reference - 1;
        return std::isfinite(change) ? std::optional(change) : std::nullopt;
    }
};

/// @param values  of its nights
Shown shown_by(const ChartAxes& axes, const std::vector<std::optional<double>>& values) {
    if (axes.values == ChartValues::absolute) return {};
    const auto first = std::ranges::find_if(values, [](auto value) { return value.has_value(); });
    return {first == values.end() ? 1 : **first};
}

class Reading {
  public:
    Reading(const SeriesChart& chart, const ChartAxes& axes)
        : chart_(*chart.facts), nights_(chart.nights), axes_(axes) {
        std::vector<std::optional<double>> values;
        for (const auto& night : nights_) values.push_back(number_of(night.value));
        shown_ = shown_by(axes, values);
    }

    Charted read() const {
        Charted all;
        all.series = chart_.at("id").get<std::int64_t>();
        const bool is_relative = axes_.values == ChartValues::relative;
        all.unit = is_relative ? relative_unit : name_words(chart_.at("unit"));
        all.scale = is_relative ? AxisScale::linear : axes_.scale;
        read_nights(all);
        for (const auto& one : chart_.at("with")) all.over.push_back(read_over(one));
        for (const auto& level : chart_.at("levels")) {
            const auto value = shown(level.at("value"));
            if (value)
                all.levels.push_back({*place(level, "first"), *place(level, "last"), *value});
        }
        for (const auto& session : chart_.at("sessions")) read_session(all, session);
        all.regressions = places_of(chart_.at("regressions"), "");
        all.begun = places_of(chart_.at("baselines"), "rolling");
        all.moved = places_of(chart_.at("environments"), "");
        for (const auto at : places_of(chart_.at("baselines"), "pinned")) {
            if (!all.pinned) all.pinned = all.nights[at].value;
        }
        return all;
    }

  private:
    template <class Value>
    std::optional<double> shown(const Value& value) const {
        return shown_(number_of(value));
    }

    /// The nights are in the order of their ids.
    std::optional<std::size_t> place(const json& thing, const char* key) const {
        const NightlyId id{thing.at(key).get<std::int64_t>()};
        const auto found = std::ranges::lower_bound(nights_, id, {}, &ChartNight::nightly);
        if (found == nights_.end() || found->nightly != id) return std::nullopt;
        return static_cast<std::size_t>(found - nights_.begin());
    }

    void read_nights(Charted& all) const {
        all.nights.reserve(nights_.size());
        for (const auto& night : nights_) {
            auto& own = all.nights.emplace_back();
            own.nightly = night.nightly.value;
            own.name = shown_text(night.name, short_night);
            own.value = shown(night.value);
            own.low = shown(night.low);
            own.high = shown(night.high);
            own.base = shown(night.base);
            own.limit = shown(night.limit);
            if (own.value) ++all.measured;
            for (const auto left_out : night.left_out) {
                const auto value = shown(left_out);
                if (value) all.left_out.push_back({all.nights.size() - 1, *value});
            }
        }
    }

    ChartedOver read_over(const json& one) const {
        ChartedOver over{one.at("id").get<std::int64_t>(), series_words(one), {}};
        for (const auto& value : one.at("values")) over.values.push_back(number_of(value));
        const auto own = shown_by(axes_, over.values);
        for (auto& value : over.values) value = own(value);
        return over;
    }

    void read_session(Charted& all, const json& session) const {
        const auto& confirmed = session.at("confirmed");
        const auto before = shown(member(confirmed, "before"));
        const auto after = shown(member(confirmed, "after"));
        const auto at = place(session, "nightly");
        const bool measured = number_of(member(confirmed, "runs_before")).value_or(0) >= 1;
        if (at && before && after && measured) all.sessions.push_back({*at, *before, *after});
    }

    /// Of the nights that these things name, each once.
    std::vector<std::size_t> places_of(const json& things, std::string_view kind) const {
        std::vector<std::size_t> places;
        for (const auto& thing : things) {
            if (!kind.empty() && thing.at("kind") != kind) continue;
            if (const auto at = place(thing, "nightly")) places.push_back(*at);
        }
        std::ranges::sort(places);
        places.erase(std::unique(places.begin(), places.end()), places.end());
        return places;
    }

    const json& chart_;
    std::span<const ChartNight> nights_;
    const ChartAxes& axes_;
    Shown shown_;
};

json short_number(std::optional<double> value) {
    if (!value) return nullptr;
    if (*value == 0) return 0;
    const double beyond = std::floor(std::log10(std::abs(*value))) + 1 - plot_digits;
    const double unit = std::pow(10, std::abs(beyond));  // whole, so that the last digit is round
    const double rounded =
        beyond > 0 ? std::round(*value / unit) * unit : std::round(*value * unit) / unit;
    if (!std::isfinite(rounded)) return *value;
    if (std::abs(rounded) < most_whole && rounded == std::round(rounded)) {
        return static_cast<std::int64_t>(rounded);
    }
    return rounded;
}

template <class Of>
json plot_column(const std::vector<ChartedNight>& nights, Of of) {
    auto values = json::array();
    for (const auto& night : nights) values.push_back(of(night));
    return values;
}

/// Null where it is no other than the value.
json beside_value(std::optional<double> end, std::optional<double> value) {
    return end == value ? json() : short_number(end);
}

}  // namespace

ChartAxes shown_axes(const SeriesChart& chart, const ChartAxes& axes) {
    const auto& unit = chart.facts->at("unit");
    const bool is_mixed = std::ranges::any_of(
        chart.facts->at("with"), [&](const auto& one) { return one.at("unit") != unit; });
    return is_mixed ? ChartAxes{AxisScale::linear, ChartValues::relative} : axes;
}

Charted charted(const SeriesChart& chart, const ChartAxes& axes) {
    const auto shown = shown_axes(chart, axes);
    return Reading(chart, shown).read();
}

std::string plot_text(const Charted& charted) {
    using Night = ChartedNight;
    const auto& nights = charted.nights;
    json plot = {
        {"series", charted.series},
        {"unit", charted.unit},
        {"axis", charted.scale == AxisScale::log ? "log" : "linear"},
        {"nightlies", plot_column(nights, [](const Night& one) { return json(one.nightly); })},
        {"names", plot_column(nights, [](const Night& one) { return json(one.name); })},
        {"value", plot_column(nights, [](const Night& one) { return short_number(one.value); })},
        {"low",
         plot_column(nights, [](const Night& one) { return beside_value(one.low, one.value); })},
        {"high",
         plot_column(nights, [](const Night& one) { return beside_value(one.high, one.value); })},
        {"base", plot_column(nights, [](const Night& one) { return short_number(one.base); })},
        {"limit", plot_column(nights, [](const Night& one) { return short_number(one.limit); })},
        {"over", json::array()},
        {"left_out", json::array()},
        {"levels", json::array()},
        {"sessions", json::array()},
        {"regressions", charted.regressions},
        {"begun", charted.begun},
        {"moved", charted.moved},
        {"pinned", short_number(charted.pinned)}};
    for (const auto& over : charted.over) {
        auto values = json::array();
        for (const auto value : over.values) values.push_back(short_number(value));
        plot["over"].push_back({{"name", over.name}, {"value", std::move(values)}});
    }
    for (const auto& [at, value] : charted.left_out) {
        plot["left_out"].push_back({{"at", at}, {"value", short_number(value)}});
    }
    for (const auto& [from, to, value] : charted.levels) {
        plot["levels"].push_back({{"from", from}, {"to", to}, {"value", short_number(value)}});
    }
    for (const auto& [at, before, after] : charted.sessions) {
        plot["sessions"].push_back(
            {{"at", at}, {"before", short_number(before)}, {"after", short_number(after)}});
    }
    return plot.dump();
}

}  // namespace vigil::service
