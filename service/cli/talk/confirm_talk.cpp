#include "service/cli/talk/confirm_talk.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/cli/common/option.hpp"

namespace vigil::cli {

namespace {

using detect::SeriesWatch;
using nlohmann::json;
using wire::ObjectReader;

constexpr std::int64_t most_nights = 10'000;
constexpr std::int64_t most_values = 1'000;

std::vector<double> values_of(ObjectReader& reader, std::string_view key) {
    std::vector<double> values;
    for (const auto& item : reader.items(key, most_values)) {
        values.push_back(wire::number_of(item, {1e-300, 1e300}));
    }
    return values;
}

std::vector<std::vector<double>> history_of(ObjectReader& reader) {
    std::vector<std::vector<double>> history;
    for (const auto& night : reader.items("history", most_nights)) {
        const json wrapped{{"night", *night.value}};
        ObjectReader one(wrapped, night.path);
        history.push_back(values_of(one, "night"));
    }
    return history;
}

MetricKind kind_named(const std::string& name) {
    if (name == "time") return MetricKind::time;
    if (name == "memory") return MetricKind::memory;
    if (name == "count") return MetricKind::count;
    wire::refuse("start.metric", "must be 'time', 'memory' or 'count'");
}

json json_of(const detect::WatchStep& step) {
    if (!step.ending) return {{"run", step.runs}};
    const auto& ending = *step.ending;
    json done{{"reason", ending.reason}};
    if (!ending.verdict) {
        done["verdict"] = "none";
        return {{"done", done}};
    }
    const auto& c = ending.comparison;
    // Who asks is asked about regressions only.
    const bool is_better = *ending.verdict == Verdict::improvement;
    done["verdict"] = to_string(is_better ? Verdict::noise : *ending.verdict);
    done["old"] = ending.old_build;
    done["new"] = ending.new_build;
    done["effect"] = c.change_ratio;
    done["low"] = c.low;
    done["high"] = c.high;
    done["p_above"] = c.above;
    return {{"done", done}};
}

}  // namespace

json ConfirmTalk::start(const json& hello) {
    ObjectReader reader(hello, "start");
    detect::LoopRules rules;
    rules.bar = trigger_;
    rules.kind = kind_named(reader.text_or("metric", "time"));
    rules.direction = parse_enum<Direction>(reader.text_or("direction", "lower_is_better"));
    rules.bar.threshold = reader.number_or("threshold", 0.07, {1e-6, 100});
    const auto history = history_of(reader);
    series_.emplace(rules, -static_cast<int>(history.size()), history);
    return {{"ready", true}};
}

SeriesWatch& ConfirmTalk::series() {
    if (!series_) refuse("a night or results before a start");
    return *series_;
}

json ConfirmTalk::take_night(const json& message) {
    ObjectReader reader(message, "message");
    const int next = series().newest_build() + 1;
    if (reader.small("night", {0, most_nights * 10}) != next) {
        wire::refuse("message.night", fmt::format("must be {}, the next night", next));
    }
    const auto values = values_of(reader, "values");
    if (series().waits_for_runs()) wire::refuse("message", "must be the results of the runs");
    if (values.empty()) wire::refuse("message.values", "must not be empty");
    return json_of(series().take_night(values));
}

json ConfirmTalk::take_results(const json& message) {
    ObjectReader reader(message, "message");
    return json_of(series().take_runs(values_of(reader, "values")));
}

std::string ConfirmTalk::answer(const std::string& line) {
    try {
        const json message = wire::parse_json(line, "the line");
        ObjectReader reader(message, "message");
        const std::string type = reader.text("type");
        if (type == "start") return wire::write_json(start(message));
        if (type == "night") return wire::write_json(take_night(message));
        if (type == "results") return wire::write_json(take_results(message));
        if (type != "end") wire::refuse("message.type", "must be start, night, results or end");
        series_.reset();
        return "";
    } catch (const Error& error) {
        return wire::write_json({{"error", error.what()}});
    }
}

}  // namespace vigil::cli
