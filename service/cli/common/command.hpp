#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "service/cli/common/option.hpp"

// A command: what may be asked of it, what was asked, and what it sees of the world.

namespace vigil::cli {

/// What the program sees of the world; tests give their own.
struct Surroundings {
    std::istream* in = nullptr;  ///< only commands that talk over it read it
    std::ostream* out = nullptr;
    std::ostream* err = nullptr;
    std::map<std::string, std::string> environment;  ///< all of it: builds and runs inherit it
    bool terminal = false;                           ///< `out` is one
    std::size_t width = 0;                           ///< of the terminal; 0: not one
    std::function<std::int64_t()> now_s;             ///< UTC
    std::function<void(int)> pause_s;                ///< waits this many seconds
    /// Runs a script with bash, on our own streams. @return how it ended; 128 + N after signal N
    std::function<int(const std::string&)> run_script;
    std::function<std::string()> random_key;  ///< a new idempotency key
    std::filesystem::path child_program;      ///< vigil-child; empty: beside this program
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

struct Invocation;
struct CommandContext;

/// What a command does: it asks a daemon, or works without one, or either.
struct CommandAction {
    using Asks = ExitCode (*)(const CommandContext&);
    using Works = ExitCode (*)(const Invocation&, const Surroundings&);
    using Checks = void (*)(const Invocation&, const Surroundings&);

    CommandAction() = default;
    CommandAction(Asks asks_) : asks(asks_) {}
    CommandAction(Works works_, Checks check_ = nullptr, Asks asks_ = nullptr)
        : works(works_), check(check_), asks(asks_) {}

    Works works = nullptr;
    /// Refuses options that make no sense together, before anything is read, built or measured.
    Checks check = nullptr;
    Asks asks = nullptr;  ///< with `works`: only when there are no arguments
};

struct CommandSpec {
    std::string name;  ///< "status", "token add"
    CommandAction action;
    std::vector<std::string> arguments;  ///< names in order; needed but for those in [brackets];
                                         ///< the last may be "[NAME...]": any number
    std::string summary;                 ///< one line
    std::vector<Option> options;         ///< besides those every command has
    std::vector<std::string> examples;   ///< whole command lines
    std::string notes = {};              ///< further lines of its help, each with its end
    std::string section = {};            ///< heading in the list of all commands
};

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

}  // namespace vigil::cli
