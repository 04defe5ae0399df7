#include "service/cli/detect/detect_talk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/trend/level_watch.hpp"
#include "bisect/trend/segments.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/cli/detect/study.hpp"
#include "service/cli/history/night_key.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;
using wire::ObjectReader;

constexpr std::size_t most_values = 2'000'000;

struct SeriesLine {
    History history;
    std::optional<std::size_t> start;
    bool suspicions = false;
};

const json& array_of(const wire::Item& item) {
    if (!item.value->is_array()) wire::refuse(item.path, "must be an array");
    if (item.value->size() > most_values) {
        wire::refuse(item.path, fmt::format("holds more than {} values", most_values));
    }
    return *item.value;
}

/// The answer speaks of positions, so nights that are named must stand where they belong.
void check_night_order(const wire::Item& item, std::size_t values) {
    const json& nights = array_of(item);
    if (nights.size() != values) wire::refuse(item.path, "must have one entry for each value");
    NightKey before;
    for (std::size_t i = 0; i < nights.size(); ++i) {
        const std::string path = fmt::format("{}[{}]", item.path, i);
        NightKey key;
        try {
            key = parse_night(
                nights[i].is_string() ? nights[i].get<std::string>() : wire::write_json(nights[i]));
        } catch (const Error& error) {
            wire::refuse(path, error.what());
        }
        if (i > 0 && (key.kind != before.kind || key.value <= before.value)) {
            wire::refuse(path, "must be later than the night before it: in order, each once");
        }
        before = key;
    }
}

SeriesLine read_series(const json& message) {
    ObjectReader reader(message, "series");
    SeriesLine series;
    History& history = series.history;
    const json& values = array_of(reader.item("values"));
    history.values.reserve(values.size());
    for (const auto& value : values) {
        if (!value.is_null() && !value.is_number()) {
            wire::refuse(
                fmt::format("series.values[{}]", history.values.size()),
                "must be a number or null");
        }
        history.values.push_back(
            value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
    }
    history.direction = reader.choice_or("direction", Direction::lower_is_better);
    series.suspicions = reader.flag_or("suspicions", false);
    if (const auto nights = reader.find("nights")) check_night_order(*nights, values.size());
    if (reader.find("start")) {
        series.start = static_cast<std::size_t>(reader.integer("start", wire::not_negative));
    }
    if (const auto env = reader.find("env")) {
        for (const auto& name : array_of(*env)) {
            if (!name.is_null() && !name.is_string()) {
                wire::refuse(
                    fmt::format("series.env[{}]", history.environments.size()),
                    "must be a text or null");
            }
            history.environments.push_back(name.is_null() ? "" : name.get<std::string>());
        }
        if (history.environments.size() != history.values.size()) {
            wire::refuse("series.env", "must have one entry for each value");
        }
    }
    return series;
}

json alarm_of(const trend::Change& change) {
    return {
        {"night", change.night},
        {"index", change.first},
        {"earliest", change.earliest},
        {"latest", change.latest},
        {"before", change.before},
        {"after", change.after},
        {"change_ratio", change.change_ratio},
        {"low", change.low},
        {"high", change.high},
        {"margin", change.margin}};
}

json follow(const SeriesLine& series) {
    json answer{{"alarms", json::array()}, {"changes", json::array()}};
    json scores = json::array();
    follow_history(series.history, Direction::lower_is_better, [&](const NightSeen& seen) {
        const auto& change = seen.finding.change;
        if (series.suspicions) scores.push_back(seen.finding.suspicion);
        if (!change || seen.night < *series.start) return;
        answer["changes"].push_back(change->first);
        if (change->worse) answer["alarms"].push_back(alarm_of(*change));
    });
    if (series.suspicions) answer["suspicions"] = std::move(scores);
    return answer;
}

}  // namespace

std::string answer_series(const std::string& line) {
    json answer;
    json id;
    try {
        const json message = wire::parse_json(line, "the line");
        if (message.is_object() && message.contains("id")) id = message.at("id");
        if (id.is_structured()) wire::refuse("series.id", "must be a text or a number");
        const SeriesLine series = read_series(message);
        const auto& values = series.history.values;
        answer = series.start ? follow(series) : json{{"changes", trend::find_levels(values)}};
        const auto measured =
            std::count_if(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
        if (measured < static_cast<std::ptrdiff_t>(least_judged_nights)) {
            answer["unknown"] = fmt::format(
                "measured nights: {}; a change needs {}", measured, least_judged_nights);
        }
    } catch (const Error& error) {
        answer = {{"error", error.what()}};
        if (id.is_structured()) id = nullptr;
    }
    if (!id.is_null()) answer["id"] = std::move(id);
    return wire::write_json(answer);
}

}  // namespace vigil::cli
