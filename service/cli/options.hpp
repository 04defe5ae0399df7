#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The command line: what there is to ask for, and reading what was asked. Pure functions.

namespace vigil::cli {

struct Option {
    std::string name;   ///< without dashes
    std::string value;  ///< name of its value in help; empty: a flag
    std::string help;
};

struct CommandSpec {
    std::string name;                    ///< "status", "token add"
    std::vector<std::string> arguments;  ///< names in order; needed but for those in [brackets];
                                         ///< the last may be "[NAME...]": any number
    std::string summary;                 ///< one line
    std::vector<Option> options;         ///< besides those every command has
    std::vector<std::string> examples;   ///< whole command lines
    std::string notes = {};              ///< further lines of its help, each with its end
    bool measures_here = false;          ///< builds and measures on this machine
};

/// What the program ends with; documented in `vigil help`.
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

    bool has(const std::string& name) const { return options.contains(name); }
    std::string get(const std::string& name, const std::string& fallback = "") const;
};

/// @param args  without the program's name
/// @throws Error{invalid_argument} saying what is wrong, what is nearest, and where help is
Invocation parse_command_line(const std::vector<std::string>& args);

std::string help_text();
std::string help_text(const CommandSpec& command);

/// The known word with the fewest edits, when it is near enough to be meant.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

constexpr long long max_id = 9'000'000'000'000'000'000;

/// @throws Error{invalid_argument} unless `text` is a whole number in low..high
long long parse_number(
    const std::string& text, const std::string& name, long long low, long long high);

}  // namespace vigil::cli
