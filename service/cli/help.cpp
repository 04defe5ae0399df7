#include "service/cli/help.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "service/cli/commands.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t help_width = 80;
constexpr std::size_t least_room = 30;

std::string usage_of(const Program& program, const CommandSpec& command) {
    std::string out = program.name + " " + command.name;
    for (const auto& argument : command.arguments) out += " " + argument;
    return out;
}

/// The choices of an option, where its help does not list them.
std::string choices_of(const Option& option) {
    for (const auto& choice : option.choices) {
        if (option.help.find(choice) == option.help.npos) {
            return fmt::format(": {}", fmt::join(option.choices, ", "));
        }
    }
    return "";
}

/// In lines that fit a terminal of 80 columns; all but the first begin at `indent`.
std::string wrapped(const std::string& text, std::size_t indent) {
    const std::size_t room = std::max<std::size_t>(help_width, indent + least_room) - indent;
    std::string out;
    std::string_view rest = text;
    while (rest.size() > room) {
        auto end = rest.rfind(' ', room);
        if (end == rest.npos || end == 0) end = std::min(rest.find(' '), rest.size());
        out.append(rest.substr(0, end)) += "\n" + std::string(indent, ' ');
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out.append(rest) + "\n";
}

/// The exit codes of a command without exit codes in its notes.
std::string exit_codes_of(const CommandSpec& command) {
    const auto takes = [&](const char* name) {
        const auto is_it = [&](const Option& option) { return option.name == name; };
        return std::any_of(command.options.begin(), command.options.end(), is_it);
    };
    const bool asks = command.action.asks != nullptr;
    std::string out = "Ends with:\n    0  done\n";
    if (takes("exit-code")) out += "    1  with --exit-code: a regression is open\n";
    if (takes("until-done")) out += "    1  with --until-done: the night failed\n";
    if (takes("wait")) out += "    1  with --wait: it failed, or a series is worse\n";
    out += "    2  the command line is wrong; nothing was done\n";
    out += asks ? "    3  the server does not answer or is unavailable\n"
                  "    4  the server refused the request\n"
                : "    3  this machine lacks something\n"
                  "    4  a file cannot be used\n";
    return out + "  130  stopped by a signal\n";
}

std::string options_text(const std::vector<Option>& options) {
    std::string out;
    for (const auto& option : options) {
        const std::string left =
            "--" + option.name + (option.value.empty() ? "" : " " + option.value);
        out += fmt::format("  {:<20}  ", left) + wrapped(option.help + choices_of(option), 24);
    }
    return out;
}

std::string commands_text(const Program& program, const std::vector<const CommandSpec*>& shown) {
    std::size_t width = 0;
    for (const auto* command : shown) width = std::max(width, usage_of(program, *command).size());
    std::string out;
    for (const auto* command : shown) {
        out += fmt::format("  {:<{}}  ", usage_of(program, *command), width) +
               wrapped(command->summary, width + 4);
    }
    return out;
}

}  // namespace

std::string exit_codes_text() {
    return "Ends with:\n"
           "    0  done\n"
           "    1  compare, detect: a regression; bisect run: not reproduced;\n"
           "       status --exit-code, trigger --wait: a regression is open, or it failed;\n"
           "       doctor: something needs a person\n"
           "    2  the command line is wrong; nothing was done\n"
           "    3  the server does not answer, or this machine lacks something\n"
           "    4  the server refused, or a commit, build, benchmark or file cannot be used\n"
           "    5  compare: undecided; bisect run: a range; detect, summarize: too few data\n"
           "  130  stopped by a signal; the measured values are kept\n";
}

std::string help_text(const Program& program) {
    std::map<std::string, std::vector<const CommandSpec*>> sections;
    std::vector<std::string> order;
    for (const auto& command : program.commands) {
        auto& section = sections[command.section];
        if (section.empty()) order.push_back(command.section);
        section.push_back(&command);
    }
    std::string out = program.name + ": " + program.summary + "\n\nusage: " + program.name +
                      " COMMAND [ARGUMENTS] [--OPTION VALUE]\n\n";
    for (const auto& name : order)
        out += name + ":\n" + commands_text(program, sections[name]) + "\n";
    out += "For every command:\n" + options_text(common_options(program.asks_daemon));
    out += "  --version             alone: the version of this program\n";
    out += "\nFor example:\n";
    for (const auto& example : program.examples) out += "  " + example + "\n";
    out += "\n";
    if (program.asks_daemon) {
        out += exit_codes_text() +
               "\nColours are used on a terminal only, and not with NO_COLOR set.\n";
    }
    out += program.name + " COMMAND --help shows a command's options and examples";
    out += program.asks_daemon
               ? ";\nvigil bisect --help lists all commands that begin with bisect.\n"
               : ".\n";
    return out;
}

std::string group_help_text(const Program& program, const std::string& group) {
    std::vector<const CommandSpec*> members;
    for (const auto& command : program.commands) {
        if (command.name.starts_with(group + " ")) members.push_back(&command);
    }
    std::string out = commands_text(program, members) + "\nFor example:\n";
    for (const auto* command : members) {
        for (const auto& example : command->examples) out += "  " + example + "\n";
    }
    out += "\n" + exit_codes_text();
    return out + fmt::format(
                     "\n{} {} --help shows the options of a command.\n",
                     program.name,
                     members.front()->name);
}

std::string help_text(const Program& program, const CommandSpec& command) {
    std::string out = wrapped(usage_of(program, command) + ": " + command.summary, 2);
    if (!command.options.empty()) out += "\n" + options_text(command.options);
    const bool asks = program.asks_daemon && command.action.asks != nullptr;
    out += "\nFor every command:\n" + options_text(common_options(asks)) + "\nFor example:\n";
    for (const auto& example : command.examples) out += "  " + example + "\n";
    if (!command.notes.empty()) out += "\n" + command.notes;
    if (command.notes.find("Ends ") == command.notes.npos) out += "\n" + exit_codes_of(command);
    return out;
}

}  // namespace vigil::cli
