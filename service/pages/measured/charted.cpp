#include "service/pages/measured/charted.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t short_night = 40;

std::optional<double> number_of(std::optional<double> value) {
    return value && std::isfinite(*value) ? value : std::nullopt;
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
    Reading(const ToldChart& chart, const ChartAxes& axes)
        : chart_(chart.facts), nights_(chart.nights), axes_(axes) {
        std::vector<std::optional<double>> values;
        for (const auto& night : nights_) values.push_back(number_of(night.value));
        shown_ = shown_by(axes, values);
    }

    Charted read() const {
        Charted all;
        all.series = chart_.id;
        const bool is_relative = axes_.values == ChartValues::relative;
        all.unit = is_relative ? relative_unit : name_words(chart_.unit);
        all.scale = is_relative ? chart::AxisScale::linear : axes_.scale;
        read_nights(all);
        for (const auto& one : chart_.with) all.over.push_back(read_over(one));
        for (const auto& level : chart_.levels) {
            const auto value = shown(level.value);
            if (value) all.levels.push_back({*place(level.first), *place(level.last), *value});
        }
        for (const auto& session : chart_.sessions) read_session(all, session);
        const auto every = [](const auto&) { return true; };
        all.regressions = places_of(chart_.regressions, &ChartRegression::holds);
        all.moved = places_of(chart_.environments, every);
        const auto is_of = [](std::string_view kind) {
            return [kind](const ChartBaseline& one) { return one.kind == kind; };
        };
        all.begun = places_of(chart_.baselines, is_of("rolling"));
        for (const auto at : places_of(chart_.baselines, is_of("pinned"))) {
            if (!all.pinned) all.pinned = all.nights[at].value;
        }
        return all;
    }

  private:
    std::optional<double> shown(std::optional<double> value) const {
        return shown_(number_of(value));
    }

    /// The nights are in the order of their ids.
    std::optional<std::size_t> place(std::int64_t nightly) const {
        const NightlyId id{nightly};
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

    ChartedOver read_over(const ChartOver& one) const {
        ChartedOver over{one.id, series_words(one), {}};
        for (const auto value : one.values) over.values.push_back(number_of(value));
        const auto own = shown_by(axes_, over.values);
        for (auto& value : over.values) value = own(value);
        return over;
    }

    void read_session(Charted& all, const ChartSession& session) const {
        const auto& confirmed = session.confirmed;
        if (!confirmed || confirmed->runs_before < 1) return;
        const auto before = shown(confirmed->before);
        const auto after = shown(confirmed->after);
        const auto at = place(session.nightly);
        if (at && before && after) all.sessions.push_back({*at, *before, *after});
    }

    /// Of the nights that those of these things name that fit, each once.
    template <class Thing, class Fits>
    std::vector<std::size_t> places_of(const std::vector<Thing>& things, Fits fits) const {
        std::vector<std::size_t> places;
        for (const auto& thing : things) {
            if (!std::invoke(fits, thing)) continue;
            if (const auto at = place(thing.nightly)) places.push_back(*at);
        }
        std::ranges::sort(places);
        places.erase(std::unique(places.begin(), places.end()), places.end());
        return places;
    }

    const ChartFacts& chart_;
    std::span<const ChartNight> nights_;
    const ChartAxes& axes_;
    Shown shown_;
};

double with_six_digits(double value) {
    const double size = std::abs(value);
    double up = 1;
    double down = 1;
    while (size * up < 1e5) up *= 10;
    while (size >= 1e6 * down) down *= 10;
    return std::round(value * up / down) / up * down;
}

/// JSON is written as text at once: of a thousand nights it has ten thousand numbers. std::to_chars
/// writes the fewest digits that give the number back.
void write_number(std::string& text, std::optional<double> value) {
    constexpr double tiny = 1e-9;
    if (!value) {
        text += "null";
    } else if (std::abs(*value) < tiny) {
        fmt::format_to(std::back_inserter(text), "{:.6g}", *value);
    } else {
        std::array<char, 32> digits;
        const auto end = std::to_chars(digits.begin(), digits.end(), with_six_digits(*value)).ptr;
        text.append(digits.begin(), end);
    }
}

std::string number_text(std::optional<double> value) {
    std::string text;
    write_number(text, value);
    return text;
}

std::string in_quotes(const std::string& words) {
    return json(words).dump();
}

template <class Values, class Write>
std::string list_text(const Values& values, Write write) {
    std::string text = "[";
    for (const auto& value : values) {
        if (text.size() > 1) text += ',';
        write(text, value);
    }
    return text + "]";
}

/// Null where it is no other than the value.
std::optional<double> beside_value(std::optional<double> end, std::optional<double> value) {
    return end == value ? std::nullopt : end;
}

template <class Of>
std::string column_text(const std::vector<ChartedNight>& nights, Of of) {
    return list_text(nights, [&](auto& text, const auto& night) { write_number(text, of(night)); });
}

std::string places_text(const std::vector<std::size_t>& places) {
    return list_text(places, [](auto& text, auto at) { text += std::to_string(at); });
}

std::string over_text(const std::vector<ChartedOver>& over) {
    return list_text(over, [](auto& text, const auto& one) {
        text += R"({"name":)" + in_quotes(one.name) + R"(,"value":)" +
                list_text(one.values, write_number) + "}";
    });
}

std::string levels_text(const Charted& charted) {
    return list_text(charted.levels, [](auto& text, const auto& level) {
        const auto& [from, to, value] = level;
        text += fmt::format(R"({{"from":{},"to":{},"value":{}}})", from, to, number_text(value));
    });
}

std::string sessions_text(const Charted& charted) {
    return list_text(charted.sessions, [](auto& text, const auto& session) {
        const auto& [at, before, after] = session;
        text += fmt::format(
            R"({{"at":{},"before":{},"after":{}}})", at, number_text(before), number_text(after));
    });
}

std::string left_out_text(const Charted& charted) {
    return list_text(charted.left_out, [](auto& text, const auto& one) {
        const auto& [at, value] = one;
        text += fmt::format(R"({{"at":{},"value":{}}})", at, number_text(value));
    });
}

}  // namespace

ChartAxes shown_axes(const ToldChart& chart, const ChartAxes& axes) {
    const bool is_mixed = std::ranges::any_of(
        chart.facts.with, [&](const auto& one) { return one.unit != chart.facts.unit; });
    return is_mixed ? ChartAxes{chart::AxisScale::linear, ChartValues::relative} : axes;
}

Charted charted(const ToldChart& chart, const ChartAxes& axes) {
    const auto shown = shown_axes(chart, axes);
    return Reading(chart, shown).read();
}

std::string plot_text(const Charted& charted) {
    using Night = ChartedNight;
    const auto& nights = charted.nights;
    const std::pair<const char*, std::string> fields[] = {
        {"unit", in_quotes(charted.unit)},
        {"axis", charted.scale == chart::AxisScale::log ? "\"log\"" : "\"linear\""},
        {"nightlies",
         list_text(nights, [](auto& text, auto& one) { text += std::to_string(one.nightly); })},
        {"names", list_text(nights, [](auto& text, auto& one) { text += in_quotes(one.name); })},
        {"value", column_text(nights, [](const Night& one) { return one.value; })},
        {"low", column_text(nights, [](auto& one) { return beside_value(one.low, one.value); })},
        {"high", column_text(nights, [](auto& one) { return beside_value(one.high, one.value); })},
        {"base", column_text(nights, [](const Night& one) { return one.base; })},
        {"limit", column_text(nights, [](const Night& one) { return one.limit; })},
        {"over", over_text(charted.over)},
        {"left_out", left_out_text(charted)},
        {"levels", levels_text(charted)},
        {"sessions", sessions_text(charted)},
        {"regressions", places_text(charted.regressions)},
        {"begun", places_text(charted.begun)},
        {"moved", places_text(charted.moved)},
        {"pinned", number_text(charted.pinned)}};
    std::string text = R"({"series":)" + std::to_string(charted.series);
    for (const auto& [name, value] : fields) text += fmt::format(",\"{}\":{}", name, value);
    return text + "}";
}

}  // namespace vigil::service
