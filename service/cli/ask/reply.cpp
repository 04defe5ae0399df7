#include "service/cli/ask/reply.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric.hpp"
#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

/// Null where there is none.
const json& member_of(const json& object, const char* key) {
    static const json none;
    if (!object.is_object()) return none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
}

}  // namespace

std::string text_at(const json& object, const char* key) {
    const json& value = member_of(object, key);
    return value.is_string() ? value.get<std::string>() : "";
}

std::int64_t number_at(const json& object, const char* key) {
    const json& value = member_of(object, key);
    return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

double real_at(const json& object, const char* key) {
    const json& value = member_of(object, key);
    return value.is_number() ? value.get<double>() : 0;
}

bool flag_at(const json& object, const char* key) {
    const json& value = member_of(object, key);
    return value.is_boolean() && value.get<bool>();
}

bool is_set(const json& object, const char* key) {
    return !member_of(object, key).is_null();
}

std::string words_at(const json& object, const char* key) {
    const json& value = member_of(object, key);
    return value.is_number_integer() ? std::to_string(value.get<std::int64_t>())
                                     : text_at(object, key);
}

const json& object_at(const json& object, const char* key) {
    static const json none = json::object();
    const json& value = member_of(object, key);
    return value.is_object() ? value : none;
}

const json& array_at(const json& object, const char* key) {
    static const json none = json::array();
    const json& value = member_of(object, key);
    return value.is_array() ? value : none;
}

namespace {

/// The size of a series; of an older daemon what was confirmed.
const json& size_of(const json& series) {
    return object_at(series, is_set(series, "size") ? "size" : "confirmed");
}

/// Of a regression's series: its size, else as the night saw it.
double change_ratio(const json& series) {
    const auto& size = size_of(series);
    if (is_set(size, "change_ratio")) return real_at(size, "change_ratio");
    const bool is_from_zero = is_set(size, "before") && real_at(size, "before") == 0;
    return is_from_zero ? from_zero : real_at(series, "change_ratio");
}

/// "+6.6 % [5.1, 8.2]".
std::string sized_words(const json& comparison) {
    const auto end = [&](const char* key) {
        return is_set(comparison, key) ? real_at(comparison, key) : std::nan("");
    };
    return text::percent_within(real_at(comparison, "change_ratio"), end("low"), end("high"));
}

}  // namespace

std::string night_name(const json& nightly) {
    return text_at(nightly, is_set(nightly, "name") ? "name" : "day");
}

std::string withdrawn_words(const json& withdrawn) {
    std::string out;
    for (const auto& one : withdrawn) {
        const auto worker = text_at(one, "worker");
        out += fmt::format(
            "{}{}withdrawn by {}: {}",
            out.empty() ? "" : "; ",
            worker.empty() ? "" : "what worker " + worker + " measured is ",
            text_at(one, "by"),
            text_at(one, "reason"));
    }
    return out;
}

std::string brief_at(const json& item, const char* key) {
    return text_at(item, key).substr(0, 10);
}

std::string shown_benchmark(const json& item) {
    auto words = text_at(item, "benchmark");
    if (const auto name = text_at(item, "case"); !name.empty()) words += ": " + name;
    if (const auto name = text_at(item, "quantity"); !name.empty()) words += ", " + name;
    return words;
}

std::string benchmark_words(const json& item) {
    return fmt::format(
        "{} ({}) on {}",
        shown_benchmark(item),
        text_at(item, "variant"),
        text_at(item, "machine_class"));
}

std::string series_words(const json& item) {
    return benchmark_words(item) + ", " + text_at(item, "metric");
}

bool is_open_state(const std::string& state) {
    return is_one<RegressionState>(state, is_open);
}

std::string standing_at(const json& regression) {
    const auto ended_as = text_at(regression, "ended_as");
    return ended_as.empty() ? text_at(regression, "state") : ended_as;
}

std::string change_words(const json& series) {
    if (text_at(series, "verdict") == "broken") return "broken";
    const auto& size = size_of(series);
    if (is_set(size, "change_ratio")) return sized_words(size);
    if (is_set(size, "before") && real_at(size, "before") == 0) return text::percent(from_zero);
    return text::percent(change_ratio(series)) + " by the night alone";
}

std::string today_words(const json& series) {
    const auto& today = object_at(series, "today");
    if (today.empty()) return "";
    return is_set(today, "change_ratio") ? sized_words(today) : text::percent(from_zero);
}

std::string regression_words(const json& regression) {
    const auto& series = array_at(regression, "series");
    if (series.empty()) return "no series";
    const json* worst = &series.front();
    for (const auto& one : series) {
        if (change_ratio(one) > change_ratio(*worst)) worst = &one;
    }
    const auto today = today_words(*worst);
    return fmt::format(
        "{} {}{}{}",
        series_words(*worst),
        change_words(*worst),
        today.empty() ? "" : ", today " + today,
        series.size() > 1 ? fmt::format(", and {} more", series.size() - 1) : "");
}

std::string worker_words(const json& worker) {
    const std::string state = text_at(worker, "state");
    if (!is_set(worker, "unseen_s")) return state;
    return (state == "quarantined" ? state + ", " : "") + "not seen for " +
           text::duration(number_at(worker, "unseen_s"));
}

}  // namespace vigil::cli
