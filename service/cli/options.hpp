#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/enum_names.hpp"

// The command line: what there is to ask for, and reading what was asked. Pure functions.

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
    for (const auto& [value, name] : EnumNames<Enum>::names) names.emplace_back(name);
    return names;
}

struct CommandSpec {
    std::string name;                    ///< "status", "token add"
    std::vector<std::string> arguments;  ///< names in order; needed but for those in [brackets];
                                         ///< the last may be "[NAME...]": any number
    std::string summary;                 ///< one line
    std::vector<Option> options;         ///< besides those every command has
    std::vector<std::string> examples;   ///< whole command lines
    std::string notes = {};              ///< further lines of its help, each with its end
    std::string section = {};            ///< heading in the list of all commands
};

/// What the program ends with; `exit_codes_text` has the table that help shows.
enum class ExitCode {
    ok = 0,
    negative = 1,     ///< asked with --exit-code or --wait: something is open, or went wrong;
                      ///< compare, detect: it is worse; bisect run: not reproduced
    usage = 2,        ///< the command line is wrong
    unreachable = 3,  ///< no answer from the server, or it cannot serve now; or this machine cannot
    refused = 4,      ///< the server answered no: permission, not found, wrong state; or the
                      ///< repository, the build, the benchmark or the file cannot be used
    unsure = 5,       ///< measured, and neither yes nor no
    stopped = 130,    ///< by a signal; the state is kept
};

const std::vector<CommandSpec>& commands();
/// Options that every command takes.
const std::vector<Option>& common_options();

struct Invocation {
    const CommandSpec* command = nullptr;  ///< nullptr: help was asked for
    std::vector<std::string> arguments;
    std::map<std::string, std::string> options;  ///< flags have an empty value
    bool help = false;                           ///< of the command, or of the whole when nullptr
    std::string group;                           ///< help of the commands that begin with this word
    bool version = false;                        ///< nothing but the program's version was asked

    bool has(const std::string& name) const { return options.contains(name); }
    std::string get(const std::string& name, const std::string& fallback = "") const;
    /// Of an option that reads a whole number.
    long long number(const std::string& name, long long fallback) const;
    /// Of an option that reads a ratio.
    double ratio(const std::string& name, double fallback) const;
};

/// @param args  without the program's name
/// @throws Error{invalid_argument} saying what is wrong, what is nearest, and where help is
Invocation parse_command_line(const std::vector<std::string>& args);

std::string help_text();
std::string help_text(const CommandSpec& command);
/// Of all commands that begin with this word, like "bisect".
std::string group_help_text(const std::string& group);
std::string exit_codes_text();

constexpr long long max_lines = 100'000;  ///< of a list
constexpr long long max_id = 9'000'000'000'000'000'000;

/// @throws Error{invalid_argument} unless `text` is a whole number in low..high
long long parse_number(
    const std::string& text, const std::string& name, long long low, long long high);

/// "7%" or "0.07": 0.01% to 10000%. A number of 1 or more needs its %: 7 is more often meant as 7 %
/// than as sevenfold.
/// @throws Error{invalid_argument} with `name` and what was probably meant
double parse_ratio(const std::string& text, const std::string& name);

/// @throws Error{invalid_argument} when --`name` FILE lies in no folder that can be written
void check_writable(const std::string& name, const std::string& file);

/// @throws Error{invalid_argument} when the option does not take this value
void check_value(const Option& option, const std::string& value);

}  // namespace vigil::cli
