#include "service/cli/options.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "schema/model/error.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t max_edits = 3;

std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above + 1, row[j - 1] + 1, change});
            diagonal = above;
        }
    }
    return row[b.size()];
}

[[noreturn]] void refuse(const std::string& message) {
    throw Error(Errc::invalid_argument, message);
}

std::string did_you_mean(
    std::string_view word, const std::vector<std::string>& known, std::string_view dashes) {
    const auto near = nearest(word, known);
    return near ? fmt::format("; did you mean '{}{}'?", dashes, *near) : "";
}

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

const Option* find_option(const CommandSpec* command, const std::string& name) {
    for (const auto& option : common_options()) {
        if (option.name == name) return &option;
    }
    if (command == nullptr) return nullptr;
    for (const auto& option : command->options) {
        if (option.name == name) return &option;
    }
    return nullptr;
}

/// Words and options apart. Options are looked up later: the command may stand behind them.
struct RawOption {
    std::string name;
    std::optional<std::string> value;  ///< after "="
    std::size_t words_before = 0;
};

/// Any command's option of this name takes a value?
bool takes_value(const std::string& name) {
    const auto with_value = [&](const Option& option) {
        return option.name == name && !option.value.empty();
    };
    const auto& common = common_options();
    if (std::any_of(common.begin(), common.end(), with_value)) return true;
    return std::any_of(commands().begin(), commands().end(), [&](const CommandSpec& command) {
        return std::any_of(command.options.begin(), command.options.end(), with_value);
    });
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
            options.push_back({"help", std::nullopt, words.size()});
        } else if (arg[1] != '-') {
            refuse("unknown option '" + arg + "': options have two dashes; see vigil help");
        } else {
            const auto equals = arg.find('=');
            RawOption option{arg.substr(2, equals == arg.npos ? arg.npos : equals - 2), {}, 0};
            if (equals != arg.npos) {
                option.value = arg.substr(equals + 1);
            } else if (takes_value(option.name) && i + 1 < args.size()) {
                option.value = args[++i];
            }
            options.push_back(option);
        }
    }
}

void take_options(const std::vector<RawOption>& raw, Invocation& invocation) {
    std::vector<std::string> known;
    for (const auto& option : common_options()) known.push_back(option.name);
    if (invocation.command != nullptr) {
        for (const auto& option : invocation.command->options) known.push_back(option.name);
    }
    const std::string where = invocation.command ? "vigil " + invocation.command->name : "vigil";
    for (const auto& option : raw) {
        const Option* spec = find_option(invocation.command, option.name);
        if (spec == nullptr) {
            refuse(fmt::format(
                "{} has no option --{}{} See {} --help",
                where,
                option.name,
                did_you_mean(option.name, known, "--").empty()
                    ? "."
                    : did_you_mean(option.name, known, "--"),
                where));
        }
        if (spec->value.empty() && option.value) refuse("--" + spec->name + " takes no value");
        if (!spec->value.empty() && !option.value) {
            refuse(fmt::format("--{} needs a value: --{} {}", spec->name, spec->name, spec->value));
        }
        if (!invocation.options.emplace(spec->name, option.value.value_or("")).second) {
            refuse("--" + spec->name + " is given twice");
        }
    }
    invocation.help = invocation.options.contains("help");
}

}  // namespace

std::string Invocation::get(const std::string& name, const std::string& fallback) const {
    const auto found = options.find(name);
    return found == options.end() ? fallback : found->second;
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
    std::optional<std::string> best;
    std::size_t fewest = std::min(max_edits, word.size() / 2 + 1) + 1;
    for (const auto& candidate : known) {
        const std::size_t count = edits(word, candidate);
        if (count >= fewest) continue;
        fewest = count;
        best = candidate;
    }
    return best;
}

Invocation parse_command_line(const std::vector<std::string>& args) {
    std::vector<std::string> words;
    std::vector<RawOption> options;
    read_words(args, words, options);
    Invocation invocation;
    if (!words.empty() && words[0] == "help") {
        words.erase(words.begin());
        options.push_back({"help", std::nullopt, 0});
    }
    std::size_t used = 0;
    invocation.command = find_command(words, used);
    if (words.empty()) {
        take_options(options, invocation);
        invocation.help = true;
        return invocation;
    }
    if (invocation.command == nullptr) {
        const std::string first = words[0];
        const std::string both = words.size() > 1 ? first + " " + words[1] : first;
        std::string hint = did_you_mean(both, command_names(), "vigil ");
        if (hint.empty()) hint = did_you_mean(first, command_names(), "vigil ");
        for (const auto& command : commands()) {
            if (!hint.empty() || !command.name.starts_with(first + " ")) continue;
            hint = "; did you mean 'vigil " + command.name + "'?";
        }
        refuse(
            fmt::format("unknown command '{}'{} See vigil help", both, hint.empty() ? "." : hint));
    }
    take_options(options, invocation);
    invocation.arguments.assign(words.begin() + std::ptrdiff_t(used), words.end());
    if (invocation.help) return invocation;
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
            "vigil {}: '{}' is one word too many",
            invocation.command->name,
            invocation.arguments[wanted.size()]));
    }
    return invocation;
}

long long parse_number(
    const std::string& text, const std::string& name, long long low, long long high) {
    long long value = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || at != end || value < low || value > high) {
        refuse(fmt::format("{} must be a whole number in {}..{}, not '{}'", name, low, high, text));
    }
    return value;
}

}  // namespace vigil::cli
