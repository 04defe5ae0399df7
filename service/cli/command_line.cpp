#include "service/cli/command_line.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/text/nearest.hpp"
#include "service/cli/commands.hpp"

namespace vigil::cli {

namespace {

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (const auto& command : commands()) names.push_back(command.name);
    names.push_back("help");
    return names;
}

/// The command of the first one or two words; `used` says how many.
const CommandSpec* find_command(const std::vector<std::string>& words, std::size_t& used) {
    for (const std::size_t count : {std::size_t{2}, std::size_t{1}}) {
        if (words.size() < count) continue;
        const std::string name = count == 2 ? words[0] + " " + words[1] : words[0];
        for (const auto& command : commands()) {
            if (command.name != name) continue;
            used = count;
            return &command;
        }
    }
    return nullptr;
}

/// Of every command, and of this one; nullptr: the former only.
std::vector<Option> options_of(const CommandSpec* command) {
    auto options = common_options();
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
bool any_option(Predicate holds) {
    return std::any_of(commands().begin(), commands().end(), [&](const CommandSpec& command) {
        const auto options = options_of(&command);
        return std::any_of(options.begin(), options.end(), holds);
    });
}

/// Any command's option of this name takes a value?
bool takes_value(const std::string& name) {
    return any_option([&](const Option& o) { return o.name == name && !o.value.empty(); });
}

/// Of a flag or an option of any command. It is no value of the option before it: that one's own
/// was forgotten.
bool is_option(const std::string& arg) {
    if (!arg.starts_with("--")) return false;
    const std::string name = arg.substr(2, arg.find('=') - 2);
    return any_option([&](const Option& o) { return o.name == name; });
}

void read_words(
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
            refuse("unknown option '" + arg + "': options have two dashes; see vigil help");
        } else {
            const auto equals = arg.find('=');
            RawOption option{arg.substr(2, equals == arg.npos ? arg.npos : equals - 2), {}};
            if (equals != arg.npos) {
                option.value = arg.substr(equals + 1);
            } else if (takes_value(option.name) && i + 1 < args.size() && !is_option(args[i + 1])) {
                option.value = args[++i];
            }
            options.push_back(option);
        }
    }
}

[[noreturn]] void refuse_unknown_option(const CommandSpec* command, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& option : options_of(command)) known.push_back(option.name);
    const std::string where = command != nullptr ? "vigil " + command->name : "vigil";
    const std::string hint = text::did_you_mean(name, known, '\'', "--");
    refuse(fmt::format(
        "{} has no option --{}{} See {} --help", where, name, hint.empty() ? "." : hint, where));
}

void take_options(const std::vector<RawOption>& raw, Invocation& invocation) {
    const auto options = options_of(invocation.command);
    for (const auto& option : raw) {
        const auto spec = std::find_if(options.begin(), options.end(), [&](const Option& one) {
            return one.name == option.name;
        });
        if (spec == options.end()) refuse_unknown_option(invocation.command, option.name);
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
std::vector<std::string> members_of(const std::string& group) {
    std::vector<std::string> members;
    for (const auto& command : commands()) {
        if (!command.name.starts_with(group + " ")) continue;
        members.push_back(command.name.substr(group.size() + 1));
    }
    return members;
}

/// No command begins like this: what is wrong first, and what was probably meant.
[[noreturn]] void refuse_unknown_command(
    const std::vector<std::string>& words, const std::vector<RawOption>& options) {
    for (const auto& option : options) {
        const std::string name = option.name;
        if (any_option([&](const Option& o) { return o.name == name; })) continue;
        refuse_unknown_option(nullptr, name);
    }
    const auto members = members_of(words[0]);
    if (words.size() == 1 && !members.empty()) {
        refuse(fmt::format(
            "vigil {} is followed by one of {}; see vigil {} --help",
            words[0],
            fmt::join(members, ", "),
            words[0]));
    }
    const std::string both = words.size() > 1 ? words[0] + " " + words[1] : words[0];
    std::string hint = text::did_you_mean(both, command_names(), '\'', "vigil ");
    if (hint.empty()) hint = text::did_you_mean(words[0], command_names(), '\'', "vigil ");
    refuse(fmt::format("unknown command '{}'{} See vigil help", both, hint.empty() ? "." : hint));
}

void check_words(const Invocation& invocation) {
    const auto& wanted = invocation.command->arguments;
    const auto needed = static_cast<std::size_t>(std::count_if(
        wanted.begin(), wanted.end(), [](const auto& name) { return !name.starts_with('['); }));
    if (invocation.arguments.size() < needed) {
        refuse(fmt::format(
            "vigil {} needs {}; for example: {}",
            invocation.command->name,
            wanted[invocation.arguments.size()],
            invocation.command->examples.front()));
    }
    const bool any_number = !wanted.empty() && wanted.back().ends_with("...]");
    if (invocation.arguments.size() > wanted.size() && !any_number) {
        refuse(fmt::format(
            "vigil {}: '{}' is one word too many; see vigil {} --help",
            invocation.command->name,
            invocation.arguments[wanted.size()],
            invocation.command->name));
    }
}

}  // namespace

Invocation parse_command_line(const std::vector<std::string>& args) {
    std::vector<std::string> words;
    std::vector<RawOption> options;
    Invocation invocation;
    if (args.size() == 1 && (args[0] == "--version" || args[0] == "-V")) {
        invocation.version = true;
        return invocation;
    }
    read_words(args, words, options);
    if (!words.empty() && words[0] == "help") {
        words.erase(words.begin());
        options.push_back({"help", std::nullopt});
    }
    std::size_t used = 0;
    invocation.command = find_command(words, used);
    const bool asks_help = std::any_of(
        options.begin(), options.end(), [](const auto& option) { return option.name == "help"; });
    const bool is_group = words.size() == 1 && asks_help && !members_of(words[0]).empty();
    if (words.empty() || (is_group && invocation.command == nullptr)) {
        take_options(options, invocation);
        invocation.help = true;
        if (!words.empty()) invocation.group = words[0];
        return invocation;
    }
    if (invocation.command == nullptr) refuse_unknown_command(words, options);
    take_options(options, invocation);
    invocation.arguments.assign(words.begin() + std::ptrdiff_t(used), words.end());
    if (!invocation.help) check_words(invocation);
    return invocation;
}

}  // namespace vigil::cli
