#include "service/cli/history.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/history_rows.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t max_series = 100'000;
constexpr std::size_t max_name_bytes = 500;
constexpr std::int64_t max_night_number = 4'000'000'000'000'000;

[[noreturn]] void refuse_history(const std::string& why) {
    throw Error(Errc::invalid_argument, why);
}

/// The digits at the front of `text`, taken off it.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9') return std::nullopt;
        value = 10 * value + (c - '0');
    }
    text.remove_prefix(count);
    return value;
}

bool take_char(std::string_view& text, std::string_view choices) {
    if (text.empty() || choices.find(text.front()) == choices.npos) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::int64_t> take_date(std::string_view& text) {
    const auto year = take_digits(text, 4);
    if (!year || !take_char(text, "-")) return std::nullopt;
    const auto month = take_digits(text, 2);
    if (!month || !take_char(text, "-")) return std::nullopt;
    const auto day = take_digits(text, 2);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date{
        std::chrono::year(*year),
        std::chrono::month(static_cast<unsigned>(*month)),
        std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    return std::int64_t{86'400} * std::chrono::sys_days(date).time_since_epoch().count();
}

/// "04:05" or "04:05:06.7", in seconds.
std::optional<std::int64_t> take_clock(std::string_view& text) {
    const auto hour = take_digits(text, 2);
    if (!hour || *hour > 23 || !take_char(text, ":")) return std::nullopt;
    const auto minute = take_digits(text, 2);
    if (!minute || *minute > 59) return std::nullopt;
    int second = 0;
    if (take_char(text, ":")) {
        const auto read = take_digits(text, 2);
        if (!read || *read > 60) return std::nullopt;
        second = *read;
        if (take_char(text, ".")) {
            while (take_digits(text, 1)) continue;
        }
    }
    return 3600 * *hour + 60 * *minute + second;
}

/// "Z", "+02:00", or nothing, in seconds.
std::optional<std::int64_t> take_zone(std::string_view& text) {
    if (text.empty() || take_char(text, "Z")) return 0;
    const bool west = text.front() == '-';
    if (!take_char(text, "+-")) return std::nullopt;
    const auto away = take_clock(text);
    if (!away) return std::nullopt;
    return west ? -*away : *away;
}

std::optional<std::int64_t> time_of(std::string_view text) {
    const auto day = take_date(text);
    if (!day) return std::nullopt;
    if (text.empty()) return *day;
    if (!take_char(text, "T ")) return std::nullopt;
    const auto clock = take_clock(text);
    if (!clock) return std::nullopt;
    const auto zone = take_zone(text);
    if (!zone || !text.empty()) return std::nullopt;
    return *day + *clock - *zone;
}

std::string lower_case(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

}  // namespace

const char* const history_help =
    "FILE, or - for standard input, is a CSV with a header, or JSON lines, one row or one series "
    "a\n"
    "line. Columns or keys, in any order:\n"
    "  night        a number, a day (2026-11-21) or a time (2026-11-21T04:05Z); or `timestamp`\n"
    "  value        a number; empty, nan or null: not measured that night\n"
    "  series       whose value it is; without it there is one series\n"
    "  environment  machine or toolchain; another one starts a new level without a change\n"
    "  unit         a name; a series has one\n"
    "  definition   of the metric; what is measured in another way is a series of its own\n"
    "  label        for backtest: 1 on the night on which something truly got worse, else 0\n"
    "A whole series a line: {\"series\":\"mlp\",\"values\":[1.5,null,1.6],\"nights\":[...],\n"
    "\"environments\":[...],\"labels\":[2],\"direction\":\"lower_is_better\",\"start\":30,\n"
    "\"samples\":[[1.4,1.6],[],[1.6]]}; all but `values` can be left out, labels are positions\n"
    "from 0. `vigil history` exports such lines from the daemon.\n"
    "Rows of one night of a series become their median.\n"
    "Or it is what Google Benchmark (--benchmark_out_format=json) or hyperfine (--export-json)\n"
    "wrote: one file a night, several FILEs. Every benchmark is a series, repetitions are its\n"
    "samples; nights have the files' own dates (Google Benchmark's), else the files' order.\n";

std::vector<double> History::samples_of(std::size_t i) const {
    const auto several = samples.find(i);
    if (several != samples.end()) return several->second;
    return std::isfinite(values[i]) ? std::vector{values[i]} : std::vector<double>{};
}

bool History::moves_at(std::size_t i) const {
    if (environments.empty() || environments[i].empty()) return false;
    for (std::size_t before = i; before-- > 0;) {
        if (!environments[before].empty()) return environments[before] != environments[i];
    }
    return false;
}

void refuse_at(const std::string& file, text::FilePosition at, const std::string& why) {
    refuse_history(
        fmt::format("reading {}: line {}, column {}: {}", file, at.line, at.column, why));
}

NightKey parse_night(const std::string& text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && at == end && std::abs(number) <= max_night_number) {
        return {NightKey::Kind::number, number};
    }
    if (const auto time = time_of(text)) return {NightKey::Kind::time, *time};
    refuse_history(
        "the night must be a whole number, a day like 2026-11-21 or a time like "
        "2026-11-21T04:05:06Z, not '" +
        text.substr(0, 60) + "'");
}

double parse_value(const std::string& text) {
    const std::string word = lower_case(text);
    if (word.empty() || word == "nan" || word == "na" || word == "null") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    double value = 0;
    const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) refuse_history("the value is out of range");
    if (error != std::errc() || at != end) {
        refuse_history("the value must be a number, not '" + text.substr(0, 60) + "'");
    }
    if (!std::isfinite(value)) refuse_history("the value is infinite");
    return value;
}

void HistoryRows::count(std::size_t rows, text::FilePosition at) {
    count_ += rows;
    if (count_ > max_history_rows) {
        refuse_at(file_, at, fmt::format("more than {} values", max_history_rows));
    }
    if (order_.size() > max_series) {
        refuse_at(file_, at, fmt::format("more than {} series", max_series));
    }
}

void HistoryRows::add(const std::string& named, HistoryRow row, text::FilePosition at) {
    std::string series = named;
    const auto first = definitions_.emplace(named, row.definition).first;
    if (first->second != row.definition) {
        series += " (definition " + (row.definition.empty() ? "not given" : row.definition) + ")";
        redefined_ += rows_.contains(series) ? 0 : 1;
    }
    const auto unit = units_.emplace(series, row.unit).first;
    if (unit->second != row.unit) {
        refuse_at(
            file_,
            at,
            "series '" + series + "' has values in '" + unit->second + "' and in '" + row.unit +
                "'");
    }
    if (series.size() > max_name_bytes) {
        refuse_at(file_, at, fmt::format("a series name of more than {} bytes", max_name_bytes));
    }
    if (whole_.contains(series)) {
        refuse_at(file_, at, "series '" + series + "' was given as a whole before");
    }
    if (rows_.empty()) kind_ = row.key.kind;
    if (row.key.kind != kind_) {
        refuse_at(file_, at, "numbers and times are mixed as nights: '" + row.night + "'");
    }
    auto& mine = rows_[series];
    if (mine.empty()) order_.push_back(series);
    mine.push_back(std::move(row));
    count(1, at);
}

void HistoryRows::add(History whole, text::FilePosition at) {
    const std::string name = whole.name;
    if (name.size() > max_name_bytes) {
        refuse_at(file_, at, fmt::format("a series name of more than {} bytes", max_name_bytes));
    }
    const std::size_t values = whole.values.size();
    if (rows_.contains(name) || !whole_.emplace(name, std::move(whole)).second) {
        refuse_at(file_, at, "series '" + name + "' is given twice");
    }
    order_.push_back(name);
    count(values, at);
}

History HistoryRows::history_of(const std::string& name, std::vector<HistoryRow> rows) {
    const auto earlier = [](const HistoryRow& a, const HistoryRow& b) {
        return a.key.value < b.key.value;
    };
    if (!std::is_sorted(rows.begin(), rows.end(), earlier)) {
        ++unsorted_;
        std::stable_sort(rows.begin(), rows.end(), earlier);
    }
    History history;
    history.name = name;
    history.labelled = labelled_;
    for (std::size_t i = 0; i < rows.size();) {
        std::vector<double> measured;
        std::string environment;
        bool label = false;
        std::size_t end = i;
        for (; end < rows.size() && rows[end].key.value == rows[i].key.value; ++end) {
            if (std::isfinite(rows[end].value)) measured.push_back(rows[end].value);
            if (environment.empty()) environment = rows[end].environment;
            label |= rows[end].label;
        }
        merged_ += end - i > 1 ? 1 : 0;
        if (label) history.labels.push_back(history.values.size());
        if (measured.size() > 1) history.samples[history.values.size()] = measured;
        history.nights.push_back(rows[i].night);
        history.values.push_back(stats::median(measured));
        history.environments.push_back(std::move(environment));
        i = end;
    }
    return history;
}

HistoryFile HistoryRows::take() {
    HistoryFile file;
    for (const auto& name : order_) {
        const auto whole = whole_.find(name);
        file.series.push_back(
            whole != whole_.end() ? std::move(whole->second)
                                  : history_of(name, std::move(rows_[name])));
    }
    file.notes = std::move(notes_);
    if (redefined_ > 0) {
        file.notes.push_back(fmt::format(
            "the definition changed {} times within a series: each is a series of its own",
            redefined_));
    }
    if (unsorted_ > 0) {
        file.notes.push_back(
            fmt::format("rows were not in the order of nights in {} series: sorted", unsorted_));
    }
    if (merged_ > 0) {
        file.notes.push_back(
            fmt::format("{} nights have several rows: the median of each counts", merged_));
    }
    return file;
}

HistoryFile read_history(std::string_view text, const std::string& name) {
    if (text.size() > max_history_bytes) {
        refuse_history(fmt::format(
            "reading {}: {} bytes, at most {} are read", name, text.size(), max_history_bytes));
    }
    wire::check_utf8(text, name);
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) refuse_history("reading " + name + ": it is empty");
    HistoryRows rows(name);
    if (text[first] == '{') {
        read_json_lines(text, name, rows);
    } else {
        read_csv(text, name, rows);
    }
    HistoryFile file = rows.take();
    if (file.series.empty()) refuse_history("reading " + name + ": it has a header and no rows");
    return file;
}

}  // namespace vigil::cli
