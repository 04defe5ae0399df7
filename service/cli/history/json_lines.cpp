#include "service/cli/history/json_lines.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/common/option.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

/// A member that is not what it should be; read_json_line tells the place from the pointer.
[[noreturn]] void refuse_member(const std::string& pointer, const std::string& why) {
    refuse(pointer + "\n" + why);
}

const json* row_member(const json& line, const char* key) {
    const auto found = line.find(key);
    return found == line.end() || found->is_null() ? nullptr : &*found;
}

/// The text under the first of the keys that is there.
std::string row_text(const json& line, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        const json* value = row_member(line, key);
        if (value == nullptr) continue;
        if (value->is_string()) return value->get<std::string>();
        if (value->is_number_integer()) return std::to_string(value->get<std::int64_t>());
        refuse_member(fmt::format("/{}", key), "must be a text or a whole number");
    }
    return "";
}

double row_value(const json& value, const std::string& pointer) {
    if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value.is_number()) refuse_member(pointer, "the value must be a number or null");
    return value.get<double>();
}

bool row_label(const json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number_integer()) {
        const auto number = value.get<std::int64_t>();
        if (number == 0 || number == 1) return number == 1;
    }
    refuse_member("/label", "a label must be true or false, 1 or 0");
}

HistoryRow row_of_line(const json& line) {
    HistoryRow row;
    const char* key = line.contains("night") ? "night" : "timestamp";
    row.night = row_text(line, {key});
    if (row.night.empty()) refuse_member("", "a row needs a 'night' or a 'timestamp'");
    try {
        row.key = parse_night(row.night);
    } catch (const Error& error) {
        refuse_member(fmt::format("/{}", key), error.what());
    }
    if (!line.contains("value")) refuse_member("", "a row needs a 'value', a series 'values'");
    row.value = row_value(line.at("value"), "/value");
    row.environment = row_text(line, {"environment", "env"});
    row.unit = row_text(line, {"unit"});
    row.definition = row_text(line, {"definition"});
    if (const json* label = row_member(line, "label")) row.label = row_label(*label);
    return row;
}

std::vector<std::string> row_texts(const json& line, const char* key, std::size_t count) {
    std::vector<std::string> texts;
    const json* list = row_member(line, key);
    if (list == nullptr) return texts;
    const std::string pointer = fmt::format("/{}", key);
    if (!list->is_array() || list->size() != count) {
        refuse_member(pointer, "must be an array with one entry for each value");
    }
    for (const json& one : *list) {
        if (one.is_number_integer()) {
            texts.push_back(std::to_string(one.get<std::int64_t>()));
        } else if (one.is_string() || one.is_null()) {
            texts.push_back(one.is_null() ? "" : one.get<std::string>());
        } else {
            refuse_member(
                fmt::format("{}/{}", pointer, texts.size()), "must be a text or a number");
        }
    }
    return texts;
}

std::size_t row_position(const json& value, const std::string& pointer, std::size_t below) {
    const bool whole = value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
                       static_cast<std::size_t>(value.get<std::int64_t>()) <= below;
    if (!whole) refuse_member(pointer, fmt::format("must be a position in 0..{}", below));
    return static_cast<std::size_t>(value.get<std::int64_t>());
}

/// Nights that are named must be in order; several of one night are refused.
void check_order(const std::vector<std::string>& nights) {
    NightKey before;
    for (std::size_t i = 0; i < nights.size(); ++i) {
        const std::string pointer = fmt::format("/nights/{}", i);
        NightKey key;
        try {
            key = parse_night(nights[i]);
        } catch (const Error& error) {
            refuse_member(pointer, error.what());
        }
        if (i > 0 && (key.kind != before.kind || key.value <= before.value)) {
            refuse_member(pointer, "the nights of a whole series must be in order, each once");
        }
        before = key;
    }
}

/// The values behind each night's, where the line has them.
std::map<std::size_t, std::vector<double>> series_samples(const json& line, std::size_t count) {
    std::map<std::size_t, std::vector<double>> samples;
    const json* lists = row_member(line, "samples");
    if (lists == nullptr) return samples;
    if (!lists->is_array() || lists->size() != count) {
        refuse_member("/samples", "must be an array with one array for each value");
    }
    for (std::size_t i = 0; i < count; ++i) {
        const json& list = lists->at(i);
        const std::string pointer = fmt::format("/samples/{}", i);
        if (!list.is_array()) refuse_member(pointer, "must be an array of numbers");
        for (const json& one : list) {
            if (!one.is_number()) refuse_member(pointer, "must be an array of numbers");
            if (list.size() > 1) samples[i].push_back(one.get<double>());
        }
    }
    return samples;
}

History series_of_line(const json& line) {
    History history;
    history.name = row_text(line, {"series", "id"});
    const json& values = line.at("values");
    if (!values.is_array()) refuse_member("/values", "must be an array");
    for (const json& one : values) {
        history.values.push_back(row_value(one, fmt::format("/values/{}", history.values.size())));
    }
    const std::size_t count = history.values.size();
    history.nights = row_texts(line, "nights", count);
    check_order(history.nights);
    for (std::size_t i = history.nights.size(); i < count; ++i) {
        history.nights.push_back(std::to_string(i));
    }
    history.samples = series_samples(line, count);
    history.environments =
        row_texts(line, row_member(line, "environments") ? "environments" : "env", count);
    const std::string direction = row_text(line, {"direction"});
    if (!direction.empty()) {
        history.direction = find_enum<Direction>(direction);
        if (!history.direction) {
            refuse_member("/direction", "must be lower_is_better or higher_is_better");
        }
    }
    history.untold = line.contains("direction") && line.at("direction").is_null();
    if (const json* start = row_member(line, "start")) {
        history.start = row_position(*start, "/start", count);
    }
    if (const json* labels = row_member(line, "labels")) {
        history.labelled = true;
        if (!labels->is_array()) refuse_member("/labels", "must be an array of positions");
        for (const json& one : *labels) {
            const std::string pointer = fmt::format("/labels/{}", history.labels.size());
            const std::size_t at = row_position(one, pointer, count == 0 ? 0 : count - 1);
            if (!history.labels.empty() && at <= history.labels.back()) {
                refuse_member(pointer, "labels must be in order, each once");
            }
            history.labels.push_back(at);
        }
    }
    return history;
}

/// Where the member stands: the line is read once more, as the file's.
text::FilePosition place_of_member(std::string_view line, int number, const std::string& pointer) {
    std::map<std::string, wire::JsonPosition> positions;
    wire::parse_json(line, "the line", {.max_bytes = max_history_bytes}, positions);
    const auto found = positions.find(pointer);
    return {number, found == positions.end() ? 1 : found->second.column};
}

void read_json_line(std::string_view line, int number, const std::string& file, HistoryRows& rows) {
    json parsed;
    try {
        parsed = wire::parse_json(line, file, {.max_bytes = max_history_bytes});
    } catch (const Error&) {
        // Again, with the lines before it as empty ones, for a message with the right place.
        const std::string whole =
            std::string(static_cast<std::size_t>(number) - 1, '\n') + std::string(line);
        wire::parse_json(whole, file, {.max_bytes = 2 * max_history_bytes});
        throw;
    }
    if (!parsed.is_object()) refuse_at(file, {number, 1}, "must be a JSON object");
    const bool is_series = parsed.contains("values");
    History whole;
    HistoryRow row;
    std::string series;
    try {
        if (is_series) {
            whole = series_of_line(parsed);
        } else {
            series = row_text(parsed, {"series", "id"});
            row = row_of_line(parsed);
        }
    } catch (const Error& error) {
        const std::string text = error.what();  // of refuse_member
        const auto end = text.find('\n');
        refuse_at(file, place_of_member(line, number, text.substr(0, end)), text.substr(end + 1));
    }
    if (is_series) {
        rows.add(std::move(whole), {number, 1});
        return;
    }
    if (parsed.contains("label")) rows.has_labels();
    rows.add(series, std::move(row), {number, 1});
}

}  // namespace

void read_json_lines(std::string_view text, const std::string& file, HistoryRows& rows) {
    int number = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.find_first_not_of(" \t") == line.npos) continue;
        read_json_line(line, number, file, rows);
    }
}

}  // namespace vigil::cli
