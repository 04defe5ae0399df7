#include "service/cli/common/option.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <unistd.h>

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/nearest.hpp"
#include "schema/text/numbers.hpp"
#include "schema/text/times.hpp"

namespace vigil::cli {

namespace {

constexpr double least_ratio = 1e-4;
constexpr double most_ratio = 100;

template <class Number>
std::optional<Number> read_number(std::string_view text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || at != end) return std::nullopt;
    return value;
}

/// "5m" where seconds are asked for: "; did you mean 300?".
std::string meant_seconds(std::string_view text) {
    const auto digits = text.find_first_not_of("0123456789");
    if (digits == 0 || digits == text.npos || digits > 6) return "";
    const auto count = *read_number<long long>(text.substr(0, digits));
    auto unit = text.substr(digits);
    if (unit.starts_with(' ')) unit.remove_prefix(1);
    for (const auto& [name, seconds] : std::initializer_list<std::pair<const char*, long long>>{
             {"s", 1}, {"sec", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86'400}}) {
        if (unit == name) return fmt::format("; did you mean {}?", count * seconds);
    }
    return "";
}

void check_whole(const Option& option, const std::string& value) {
    const auto number = read_number<long long>(value);
    if (number && *number >= option.low && *number <= option.high) return;
    const bool seconds = option.value == "S";
    refuse(fmt::format(
        "--{} must be a whole number{} in {}..{}, not '{}'{}",
        option.name,
        seconds ? " of seconds" : "",
        option.low,
        option.high,
        value,
        seconds ? meant_seconds(value) : ""));
}

void check_choice(const Option& option, const std::string& value) {
    for (const auto& choice : option.choices) {
        if (choice == value) return;
    }
    refuse(fmt::format(
        "--{} must be one of {}, not '{}'{}",
        option.name,
        fmt::join(option.choices, ", "),
        value,
        text::did_you_mean(value, option.choices, '\'')));
}

}  // namespace

std::vector<std::string> split_by_comma(const std::string& text) {
    std::vector<std::string> parts;
    boost::split(parts, text, [](char c) { return c == ','; });
    std::erase(parts, "");
    return parts;
}

void refuse(const std::string& why) {
    throw Error(Errc::invalid_argument, why);
}

Option whole_option(
    std::string name, std::string value, std::string help, long long low, long long high) {
    Option option{std::move(name), std::move(value), std::move(help), Reads::whole};
    option.low = low;
    option.high = high;
    return option;
}

Option ratio_option(std::string name, std::string help) {
    return {std::move(name), "RATIO", std::move(help), Reads::ratio};
}

Option choice_option(
    std::string name, std::string value, std::string help, std::vector<std::string> choices) {
    Option option{std::move(name), std::move(value), std::move(help), Reads::choice};
    option.choices = std::move(choices);
    return option;
}

long long parse_number(
    const std::string& text, const std::string& name, long long low, long long high) {
    const auto value = read_number<long long>(text);
    if (value && *value >= low && *value <= high) return *value;
    refuse(fmt::format("{} must be a whole number in {}..{}, not '{}'", name, low, high, text));
}

double parse_ratio(const std::string& text, const std::string& name) {
    const bool percent = text.ends_with('%');
    const auto digits = std::string_view(text).substr(0, text.size() - (percent ? 1 : 0));
    const auto number = read_number<double>(digits);
    const double value = number.value_or(0) / (percent ? 100 : 1);
    if (!percent && std::isfinite(value) && value >= 1 && value <= 100 * most_ratio) {
        refuse(fmt::format(
            "{} is a ratio, and {} would be {:.6g} %; did you mean {}%? Write it as 7% or 0.07",
            name,
            text,
            100 * value,
            text));
    }
    if (!std::isfinite(value) || value < least_ratio || value > most_ratio) {
        refuse(fmt::format(
            "{} must be a ratio like 7% or 0.07, in 0.01%..10000%, not '{}'", name, text));
    }
    return value;
}

long long coming_time(const std::string& text, const std::string& name, long long now_s) {
    constexpr long long most = 100'000;
    const char unit = text.empty() ? ' ' : text.back();
    const auto count = text.substr(0, text.empty() ? 0 : text.size() - 1);
    const bool span = (unit == 'd' || unit == 'h') && !count.empty() && count.size() < 6 &&
                      count.find_first_not_of("0123456789") == count.npos;
    if (span) return now_s + parse_number(count, name, 1, most) * (unit == 'd' ? 86'400 : 3'600);
    const auto time = text::parse_time(text);
    if (!time) {
        refuse("--" + name + " needs 30d, 12h or a day like 2027-01-31, not '" + text + "'");
    }
    if (*time <= now_s) refuse("--" + name + " " + text + " has passed already");
    return *time;
}

std::int64_t parse_when(const std::string& text, std::int64_t now_s) {
    const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
    const auto unit = text.substr(digits.size());
    if (digits.empty() || digits.size() > 5 || (unit != "d" && unit != "h")) {
        return text::parse_day(text);
    }
    return now_s - std::stoll(digits) * (unit == "d" ? 86'400 : 3600);
}

void check_writable(const std::string& name, const std::string& file) {
    namespace fs = std::filesystem;
    std::error_code failure;
    const fs::path folder = fs::path(file).has_parent_path() ? fs::path(file).parent_path() : ".";
    const bool there = fs::exists(file, failure);
    if (there && !fs::is_directory(file, failure) && ::access(file.c_str(), W_OK) == 0) return;
    if (!there && ::access(folder.c_str(), W_OK) == 0) return;
    refuse(fmt::format("--{}: the file {} cannot be written here", name, file));
}

void check_value(const Option& option, const std::string& value) {
    switch (option.reads) {
        case Reads::anything: return;
        case Reads::whole: check_whole(option, value); return;
        case Reads::ratio: parse_ratio(value, "--" + option.name); return;
        case Reads::choice: check_choice(option, value); return;
        case Reads::text: break;
    }
    if (!value.empty()) return;
    refuse(fmt::format(
        "--{} needs a value, and '' is none: --{} {}", option.name, option.name, option.value));
}

}  // namespace vigil::cli
