#include "service/pages/common/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "schema/model/metric_words.hpp"
#include "schema/text/numbers.hpp"
#include "service/pages/common/render.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

struct StateSign {
    std::string_view state;
    Mood mood;
};

/// Of all machines of states; what is not here is quiet.
constexpr std::array state_signs{
    StateSign{"done", Mood::good},        StateSign{"recovered", Mood::good},
    StateSign{"active", Mood::good},      StateSign{"passed", Mood::good},
    StateSign{"sent", Mood::good},        StateSign{"measuring", Mood::busy},
    StateSign{"confirming", Mood::busy},  StateSign{"searching", Mood::busy},
    StateSign{"listing", Mood::busy},     StateSign{"verifying", Mood::busy},
    StateSign{"leased", Mood::busy},      StateSign{"attributed", Mood::bad},
    StateSign{"range", Mood::bad},        StateSign{"reported", Mood::bad},
    StateSign{"acknowledged", Mood::bad}, StateSign{"failed", Mood::bad},
    StateSign{"parked", Mood::bad},       StateSign{"dead", Mood::bad},
    StateSign{"silent", Mood::bad},       StateSign{"quarantined", Mood::bad},
    StateSign{"failing", Mood::bad},      StateSign{"will_fail", Mood::busy}};

std::string_view sign_of(Mood mood) {
    switch (mood) {
        case Mood::good: return "\u2713";
        case Mood::busy: return "\u25B8";
        case Mood::bad: return "\u25B2";
        case Mood::quiet: return "\u2022";
    }
    return "";
}

constexpr std::size_t shown_digits = 10;

}  // namespace

std::string_view mood_name(Mood mood) {
    static constexpr std::array<std::string_view, 4> names{"good", "busy", "bad", "quiet"};
    return names.at(static_cast<std::size_t>(mood));
}

json time_view(std::optional<std::int64_t> time_s, std::int64_t now_s) {
    if (!time_s) return nullptr;
    const auto seconds = *time_s;
    const auto shown = text::utc(seconds);
    auto iso = shown + "Z";
    std::ranges::replace(iso, ' ', 'T');
    return {
        {"template", "time.html"},
        {"iso", iso},
        {"shown", shown + " UTC"},
        {"ago", text::ago(seconds, now_s)}};
}

json state_view(std::string_view state) {
    const auto found = std::ranges::find(state_signs, state, &StateSign::state);
    const auto mood = found == state_signs.end() ? Mood::quiet : found->mood;
    std::string word(state);
    std::ranges::replace(word, '_', ' ');
    return {
        {"template", "state.html"},
        {"mood", mood_name(mood)},
        {"sign", sign_of(mood)},
        {"word", word}};
}

std::string percent_words(std::optional<double> ratio) {
    return ratio ? text::percent(*ratio) : "";
}

std::string sized_words(const Comparison& size) {
    return text::percent_within(size.change_ratio, size.low, size.high);
}

std::string sized_words(const ListedChange& size) {
    if (!size.change_ratio) return "";
    const auto end = [](std::optional<double> value) { return value.value_or(std::nan("")); };
    return text::percent_within(*size.change_ratio, end(size.low), end(size.high));
}

std::string moved_words(double ratio, double before, double after, const std::string& unit) {
    return text::change(ratio, before, after, shown_text(unit, 20));
}

std::string quantity_words(std::optional<double> value, const std::string& unit) {
    return value ? text::quantity(*value, shown_text(unit, 20)) : "";
}

std::string short_revision(const std::string& revision) {
    return revision.substr(0, shown_digits);
}

std::string name_words(const std::optional<std::string>& name) {
    return name ? shown_text(*name, most_of_a_name) : "";
}

std::string benchmark_words(const NamedSeries& series) {
    const auto part = [](const char* before, const std::optional<std::string>& name) {
        return name && !name->empty() ? before + name_words(*name) : "";
    };
    return name_words(series.benchmark) + part(": ", series.case_name) +
           part(", ", series.quantity);
}

std::string series_words(const NamedSeries& series) {
    return benchmark_words(series) + ", " + name_words(series.variant) + " on " +
           name_words(series.machine_class) + ": " + metric_words(series.metric);
}

NamedSeries names_of(const SuiteSeriesRow& row) {
    return {
        row.benchmark,
        row.case_name,
        row.variant,
        row.machine_class,
        std::string(to_string(row.metric)),
        row.quantity};
}

}  // namespace vigil::service
