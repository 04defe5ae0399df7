#include "service/config/cron.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <vector>

#include <date/date.h>
#include <date/tz.h>
#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/nearest.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_text_bytes = 200;
constexpr std::int64_t latest_utc_s = 250'000'000'000;
/// 29 February comes at least every 8 years (1896 to 1904, 2096 to 2104).
constexpr int max_days = 9 * 366;

struct Field {
    std::string_view name;
    int low;
    int high;
    std::vector<std::string> words;  // the word at index i means low + i
};

const std::array<Field, 5>& fields() {
    static const std::array<Field, 5> all{
        Field{"minute", 0, 59, {}},
        Field{"hour", 0, 23, {}},
        Field{"day of the month", 1, 31, {}},
        Field{
            "month",
            1,
            12,
            {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
        Field{"day of the week", 0, 7, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}}};
    return all;
}

std::string quoted(std::string_view text) {
    return "\"" + std::string(text.substr(0, 40)) + "\"";
}

[[noreturn]] void refuse(const Field& field, std::string_view part, const std::string& why) {
    throw Error(
        Errc::invalid_argument,
        fmt::format("the schedule's {} field: {} {}", field.name, quoted(part), why));
}

std::string allowed(const Field& field) {
    const std::string numbers = fmt::format("{} to {}", field.low, field.high);
    if (field.words.empty()) return numbers;
    return fmt::format("{} or {} to {}", numbers, field.words.front(), field.words.back());
}

std::optional<int> digits(std::string_view text) {
    int value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = problem == std::errc() && end == text.data() + text.size();
    if (!whole || text.size() > 4 || text.front() == '-') return std::nullopt;
    return value;
}

int parse_value(const Field& field, std::string_view text, std::string_view part) {
    const auto lower = text::lower_case(text);
    for (std::size_t i = 0; i < field.words.size(); ++i) {
        if (lower == field.words[i]) return field.low + static_cast<int>(i);
    }
    const auto value = text.empty() ? std::nullopt : digits(text);
    if (!value || *value < field.low || *value > field.high) {
        refuse(field, part, "is not allowed; it must be " + allowed(field));
    }
    return *value;
}

/// One element of a field's list.
template <std::size_t N>
void add_part(const Field& field, std::string_view part, std::bitset<N>& set) {
    const auto slash = part.find('/');
    const auto span = part.substr(0, slash);
    int step = 1;
    if (slash != part.npos) {
        const auto text = part.substr(slash + 1);
        const auto value = text.empty() ? std::nullopt : digits(text);
        if (!value || *value < 1 || *value > field.high) {
            refuse(field, part, fmt::format("has a step that is not 1 to {}", field.high));
        }
        step = *value;
    }
    int first = field.low;
    int last = field.high;
    if (span != "*") {
        const auto dash = span.find('-');
        first = parse_value(field, span.substr(0, dash), part);
        last = first;
        if (dash != span.npos) last = parse_value(field, span.substr(dash + 1), part);
        if (dash == span.npos && slash != part.npos) {
            refuse(field, part, "has a step without a range; write a-b/step or */step");
        }
        if (last < first) refuse(field, part, "is a range that runs backwards");
    }
    for (int value = first; value <= last; value += step) {
        set.set(static_cast<std::size_t>(value));
    }
}

template <std::size_t N>
std::bitset<N> parse_field(const Field& field, std::string_view text) {
    std::bitset<N> set;
    for (std::size_t at = 0; at <= text.size();) {
        const auto comma = std::min(text.find(',', at), text.size());
        add_part(field, text.substr(at, comma - at), set);
        at = comma + 1;
    }
    return set;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        at = text.find_first_not_of(" \t", at);
        if (at == text.npos) break;
        const auto end = std::min(text.find_first_of(" \t", at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

const date::time_zone* find_zone(std::string_view name) {
    std::vector<std::string> known;
    for (const auto& zone : date::get_tzdb().zones) {
        if (zone.name() == name) return &zone;
        known.push_back(zone.name());
    }
    throw Error(
        Errc::invalid_argument,
        "the schedule's time zone " + quoted(name) + " is not in the system's tz database" +
            text::did_you_mean(name, known));
}

/// The first instant at which the zone's clocks show `local` or later.
std::int64_t first_instant(const date::time_zone& zone, date::local_seconds local) {
    const auto info = zone.get_info(local);
    if (info.result == date::local_info::nonexistent) {
        return info.first.end.time_since_epoch().count();
    }
    return (local.time_since_epoch() - info.first.offset).count();
}

}  // namespace

Cron Cron::parse(std::string_view text, std::string_view zone) {
    const auto words = words_of(text);
    if (text.size() > max_text_bytes || words.size() != fields().size()) {
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "the schedule {} has {} fields; it must have 5: minute, hour, day of the month, "
                "month, day of the week",
                quoted(text),
                words.size()));
    }
    Cron cron;
    cron.minutes_ = parse_field<60>(fields()[0], words[0]);
    cron.hours_ = parse_field<24>(fields()[1], words[1]);
    cron.days_ = parse_field<32>(fields()[2], words[2]);
    cron.months_ = parse_field<13>(fields()[3], words[3]);
    cron.weekdays_ = parse_field<8>(fields()[4], words[4]);
    if (cron.weekdays_[7]) cron.weekdays_.set(0);
    cron.any_day_ = words[2] == "*";
    cron.any_weekday_ = words[4] == "*";
    if (cron.never_comes()) {
        throw Error(
            Errc::invalid_argument,
            "the schedule " + quoted(text) + " never comes: none of its months has such a day");
    }
    cron.zone_ = find_zone(zone);
    return cron;
}

bool Cron::never_comes() const {
    static constexpr std::array<unsigned, 13> lengths{
        0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!any_weekday_) return false;  // alone or as the other choice, a weekday always comes
    for (unsigned month = 1; month <= 12; ++month) {
        for (unsigned day = 1; months_[month] && day <= lengths[month]; ++day) {
            if (days_[day]) return false;
        }
    }
    return true;
}

bool Cron::matches_day(unsigned day, unsigned month, unsigned weekday) const {
    if (!months_[month]) return false;
    if (any_day_) return weekdays_[weekday];
    if (any_weekday_) return days_[day];
    return days_[day] || weekdays_[weekday];
}

std::int64_t Cron::next_after(std::int64_t utc_s) const {
    if (utc_s < 0 || utc_s > latest_utc_s) {
        throw Error(
            Errc::invalid_argument,
            fmt::format("a schedule's next time after {}: that is not in this era", utc_s));
    }
    const date::sys_seconds now{std::chrono::seconds(utc_s)};
    // Times of yesterday may have been moved behind a gap, so they are looked at again. Later local
    // times never come earlier, so the first that is late enough is the answer.
    auto day = date::floor<date::days>(zone_->to_local(now)) - date::days(1);
    for (int i = 0; i < max_days; ++i, day += date::days(1)) {
        const date::year_month_day calendar{day};
        const auto weekday = date::weekday(day).c_encoding();
        if (!matches_day(unsigned(calendar.day()), unsigned(calendar.month()), weekday)) continue;
        for (unsigned hour = 0; hour < 24; ++hour) {
            for (unsigned minute = 0; hours_[hour] && minute < 60; ++minute) {
                if (!minutes_[minute]) continue;
                const auto local = day + std::chrono::hours(hour) + std::chrono::minutes(minute);
                const auto instant = first_instant(*zone_, local);
                if (instant > utc_s) return instant;
            }
        }
    }
    VIGIL_ASSERT(!"a schedule that was checked to come does come");
    return 0;
}

}  // namespace vigil::service
