#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/enum_names.hpp"

// What may stand as an option's value, and reading it. Pure functions but for check_writable.

namespace vigil::cli {

/// What may stand as an option's value. It is checked as soon as the command line is read, so that
/// a slip ends the program before anything is built, measured or sent.
enum class Reads {
    text,      ///< anything but nothing: nothing is what a shell makes of an unset variable
    anything,  ///< also nothing
    whole,     ///< a whole number in low..high
    ratio,     ///< "7%" or "0.07"
    choice,    ///< one of `choices`
};

struct Option {
    std::string name;   ///< without dashes
    std::string value;  ///< name of its value in help; empty: a flag
    std::string help;
    Reads reads = Reads::text;
    long long low = 0;  ///< of a whole number
    long long high = 0;
    std::vector<std::string> choices = {};
};

/// An option with a whole number in low..high; a `value` called S is a number of seconds.
Option whole_option(
    std::string name, std::string value, std::string help, long long low, long long high);
Option ratio_option(std::string name, std::string help);
Option choice_option(
    std::string name, std::string value, std::string help, std::vector<std::string> choices);

/// The spellings of an enum's values, as the choices of an option.
template <NamedEnum Enum>
std::vector<std::string> names_of() {
    std::vector<std::string> names;
    for (const auto& [value, name] : enum_names<Enum>) names.emplace_back(name);
    return names;
}

constexpr long long max_lines = 100'000;  ///< of a list
constexpr long long max_id = 9'000'000'000'000'000'000;

/// The parts between commas, without empty ones.
std::vector<std::string> split_by_comma(const std::string& text);

/// @throws Error{invalid_argument}
[[noreturn]] void refuse(const std::string& why);

/// @throws Error{invalid_argument} unless `text` is a whole number in low..high
long long parse_number(
    const std::string& text, const std::string& name, long long low, long long high);

/// "7%" or "0.07": 0.01% to 10000%. A number of 1 or more needs its %: 7 is more often meant as 7 %
/// than as sevenfold.
/// @throws Error{invalid_argument} with `name` and what was probably meant
double parse_ratio(const std::string& text, const std::string& name);

/// "30d" or "12h" from now on, or a day or time ("2027-01-31", UTC), as UTC seconds.
/// @throws Error{invalid_argument} with `name` when it is none of these, or has passed
long long coming_time(const std::string& text, const std::string& name, long long now_s);

/// A day ("2026-11-21") as its start; or so long before now ("7d", "12h"). UTC seconds.
/// @throws Error{invalid_argument}
std::int64_t parse_when(const std::string& text, std::int64_t now_s);

/// @throws Error{invalid_argument} when --`name` FILE lies in no folder that can be written
void check_writable(const std::string& name, const std::string& file);

/// @throws Error{invalid_argument} when the option does not take this value
void check_value(const Option& option, const std::string& value);

}  // namespace vigil::cli
