#include "service/cli/command_line.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/text/nearest.hpp"
#include "service/cli/commands.hpp"

namespace vigil::cli {

namespace {

std::vector<std::string> command_names(const Program& program) {
    std::vector<std::string> names;
    for (const auto& command : program.commands) names.push_back(command.name);
    names.push_back("help");
    return names;
}

/// The command of the first one or two words; `used` says how many.
const CommandSpec* find_command(
    const Program& program, const std::vector<std::string>& words, std::size_t& used) {
    for (const std::size_t count : {std::size_t{2}, std::size_t{1}}) {
        if (words.size() < count) continue;
        const std::string name = count == 2 ? words[0] + " " + words[1] : words[0];
        for (const auto& command : program.commands) {
            if (command.name != name) continue;
            used = count;
            return &command;
        }
    }
    return nullptr;
}

/// Of every command, and of this one; nullptr: the former only.
std::vector<Option> options_of(const Program& program, const CommandSpec* command) {
    auto options = common_options(program.asks_daemon);
    if (command != nullptr) {
        options.insert(options.end(), command->options.begin(), command->options.end());
    }
    return options;
}

/// Words and options apart. Options are looked up later: the command may stand behind them.
struct RawOption {
    std::string name;
    std::optional<std::string> value;  ///< after "="
};

/// Whether any command has an option for which `holds` is true.
template <class Predicate>
bool any_option(const Program& program, Predicate holds) {
    const auto& all = program.commands;
    return std::any_of(all.begin(), all.end(), [&](const CommandSpec& command) {
        const auto options = options_of(program, &command);
        return std::any_of(options.begin(), options.end(), holds);
    });
}

/// Any command's option of this name takes a value?
bool takes_value(const Program& program, const std::string& name) {
    return any_option(program, [&](const Option& o) { return o.name == name && !o.value.empty(); });
}

/// Of a flag or an option of any command. It is no value of the option before it: that one's own
/// was forgotten.
bool is_option(const Program& program, const std::string& arg) {
    if (!arg.starts_with("--")) return false;
    const std::string name = arg.substr(2, arg.find('=') - 2);
    return any_option(program, [&](const Option& o) { return o.name == name; });
}

void read_words(
    const Program& program,
    const std::vector<std::string>& args,
    std::vector<std::string>& words,
    std::vector<RawOption>& options) {
    bool only_words = false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string& arg = args[i];
        if (only_words || arg.size() < 2 || arg[0] != '-') {
            words.push_back(arg);
        } else if (arg == "--") {
            only_words = true;
        } else if (arg == "-h") {
            options.push_back({"help", std::nullopt});
        } else if (arg[1] != '-') {
            refuse(
                "unknown option '" + arg + "': options have two dashes; see " + program.name +
                " help");
        } else {
            const auto equals = arg.find('=');
            RawOption option{arg.substr(2, equals == arg.npos ? arg.npos : equals - 2), {}};
            if (equals != arg.npos) {
                option.value = arg.substr(equals + 1);
            } else if (
                takes_value(program, option.name) && i + 1 < args.size() &&
                !is_option(program, args[i + 1])) {
                option.value = args[++i];
            }
            options.push_back(option);
        }
    }
}

[[noreturn]] void refuse_unknown_option(
    const Program& program, const CommandSpec* command, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& option : options_of(program, command)) known.push_back(option.name);
    const std::string where = program.name + (command != nullptr ? " " + command->name : "");
    const std::string hint = text::did_you_mean(name, known, '\'', "--");
    refuse(fmt::format(
        "{} has no option --{}{} See {} --help", where, name, hint.empty() ? "." : hint, where));
}

void take_options(
    const Program& program, const std::vector<RawOption>& raw, Invocation& invocation) {
    const auto options = options_of(program, invocation.command);
    for (const auto& option : raw) {
        const auto spec = std::find_if(options.begin(), options.end(), [&](const Option& one) {
            return one.name == option.name;
        });
        if (spec == options.end()) refuse_unknown_option(program, invocation.command, option.name);
        if (spec->value.empty() && option.value) refuse("--" + spec->name + " takes no value");
        if (!spec->value.empty() && !option.value) {
            refuse(fmt::format("--{} needs a value: --{} {}", spec->name, spec->name, spec->value));
        }
        if (option.value) check_value(*spec, *option.value);
        if (!invocation.options.emplace(spec->name, option.value.value_or("")).second) {
            refuse("--" + spec->name + " is given twice");
        }
    }
    invocation.help = invocation.options.contains("help");
}

/// The second words of the commands that begin with this one.
std::vector<std::string> members_of(const Program& program, const std::string& group) {
    std::vector<std::string> members;
    for (const auto& command : program.commands) {
        if (!command.name.starts_with(group + " ")) continue;
        members.push_back(command.name.substr(group.size() + 1));
    }
    return members;
}

/// No command begins like this: what is wrong first, and what was probably meant.
[[noreturn]] void refuse_unknown_command(
    const Program& program,
    const std::vector<std::string>& words,
    const std::vector<RawOption>& options) {
    if (program.asks_daemon && words[0] == "backtest") {
        refuse("backtest moved: a build of Vigil has it as vigil-lab backtest, beside vigil");
    }
    for (const auto& option : options) {
        const std::string name = option.name;
        if (any_option(program, [&](const Option& o) { return o.name == name; })) continue;
        refuse_unknown_option(program, nullptr, name);
    }
    const auto members = members_of(program, words[0]);
    if (words.size() == 1 && !members.empty()) {
        refuse(fmt::format(
            "{0} {1} is followed by one of {2}; see {0} {1} --help",
            program.name,
            words[0],
            fmt::join(members, ", ")));
    }
    const std::string both = words.size() > 1 ? words[0] + " " + words[1] : words[0];
    std::string hint = text::did_you_mean(both, command_names(program), '\'', program.name + " ");
    if (hint.empty())
        hint = text::did_you_mean(words[0], command_names(program), '\'', program.name + " ");
    refuse(fmt::format(
        "unknown command '{}'{} See {} help", both, hint.empty() ? "." : hint, program.name));
}

void check_words(const Program& program, const Invocation& invocation) {
    const auto& wanted = invocation.command->arguments;
    const auto needed = static_cast<std::size_t>(std::count_if(
        wanted.begin(), wanted.end(), [](const auto& name) { return !name.starts_with('['); }));
    if (invocation.arguments.size() < needed) {
        refuse(fmt::format(
            "{} {} needs {}; for example: {}",
            program.name,
            invocation.command->name,
            wanted[invocation.arguments.size()],
            invocation.command->examples.front()));
    }
    const bool any_number = !wanted.empty() && wanted.back().ends_with("...]");
    if (invocation.arguments.size() > wanted.size() && !any_number) {
        refuse(fmt::format(
            "{0} {1}: '{2}' is one argument too many; see {0} {1} --help",
            program.name,
            invocation.command->name,
            invocation.arguments[wanted.size()]));
    }
}

}  // namespace

Invocation parse_command_line(const Program& program, const std::vector<std::string>& args) {
    std::vector<std::string> words;
    std::vector<RawOption> options;
    Invocation invocation;
    if (args.size() == 1 && (args[0] == "--version" || args[0] == "-V")) {
        invocation.version = true;
        return invocation;
    }
    read_words(program, args, words, options);
    if (!words.empty() && words[0] == "help") {
        words.erase(words.begin());
        options.push_back({"help", std::nullopt});
    }
    std::size_t used = 0;
    invocation.command = find_command(program, words, used);
    const bool asks_help = std::any_of(
        options.begin(), options.end(), [](const auto& option) { return option.name == "help"; });
    const bool is_group = words.size() == 1 && asks_help && !members_of(program, words[0]).empty();
    if (words.empty() || (is_group && invocation.command == nullptr)) {
        take_options(program, options, invocation);
        invocation.help = true;
        if (!words.empty()) invocation.group = words[0];
        return invocation;
    }
    if (invocation.command == nullptr) refuse_unknown_command(program, words, options);
    take_options(program, options, invocation);
    invocation.arguments.assign(words.begin() + std::ptrdiff_t(used), words.end());
    if (!invocation.help) check_words(program, invocation);
    return invocation;
}

}  // namespace vigil::cli
