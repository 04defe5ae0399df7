#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "service/cli/options.hpp"

namespace vigil::cli {

namespace {

std::string usage_of(const CommandSpec& command) {
    std::string out = "vigil " + command.name;
    for (const auto& argument : command.arguments) out += " " + argument;
    return out;
}

/// What may be said, where the help does not tell it.
std::string choices_of(const Option& option) {
    for (const auto& choice : option.choices) {
        if (option.help.find(choice) == option.help.npos) {
            return fmt::format(": {}", fmt::join(option.choices, ", "));
        }
    }
    return "";
}

std::string options_text(const std::vector<Option>& options) {
    std::string out;
    for (const auto& option : options) {
        const std::string left =
            "--" + option.name + (option.value.empty() ? "" : " " + option.value);
        out += fmt::format("  {:<20}  {}{}\n", left, option.help, choices_of(option));
    }
    return out;
}

std::string commands_text(const std::vector<const CommandSpec*>& shown) {
    std::size_t width = 0;
    for (const auto* command : shown) width = std::max(width, usage_of(*command).size());
    std::string out;
    for (const auto* command : shown) {
        out += fmt::format("  {:<{}}  {}\n", usage_of(*command), width, command->summary);
    }
    return out;
}

}  // namespace

std::string exit_codes_text() {
    return "Ends with:\n"
           "    0  done\n"
           "    1  compare, detect: it got worse; bisect run: not reproduced; status --exit-code,\n"
           "       trigger --wait: a regression is open, or the night failed\n"
           "    2  the command line is wrong; nothing was done\n"
           "    3  the server does not answer or cannot serve now; or this machine cannot\n"
           "    4  the server refused; or a commit, build, benchmark or file cannot be used\n"
           "    5  compare: unsure; bisect run: a range; detect, summarize: too little to say\n"
           "  130  stopped by a signal; what was measured is kept\n";
}

std::string help_text() {
    std::map<std::string, std::vector<const CommandSpec*>> sections;
    std::vector<std::string> order;
    for (const auto& command : commands()) {
        auto& section = sections[command.section];
        if (section.empty()) order.push_back(command.section);
        section.push_back(&command);
    }
    std::string out =
        "vigil: finds performance regressions and the commits that made them\n\n"
        "usage: vigil COMMAND [WORDS] [--OPTION VALUE]\n\n";
    for (const auto& name : order) out += name + ":\n" + commands_text(sections[name]) + "\n";
    out += "For every command:\n" + options_text(common_options());
    out += "  --version             alone: the version of this program\n";
    out +=
        "\nFor example:\n"
        "  vigil compare --good v1.2 --bad HEAD --build make --bench ./bench\n"
        "  vigil detect history.csv\n"
        "  vigil status\n\n";
    out += exit_codes_text();
    out +=
        "\nColours only on a terminal, and not with NO_COLOR set.\n"
        "vigil COMMAND --help shows a command's options and examples; vigil bisect --help those\n"
        "of all commands that begin with bisect.\n";
    return out;
}

std::string group_help_text(const std::string& group) {
    std::vector<const CommandSpec*> members;
    for (const auto& command : commands()) {
        if (command.name.starts_with(group + " ")) members.push_back(&command);
    }
    std::string out = commands_text(members) + "\nFor example:\n";
    for (const auto* command : members) {
        for (const auto& example : command->examples) out += "  " + example + "\n";
    }
    out += "\n" + exit_codes_text();
    return out + fmt::format(
                     "\n{} --help shows what a command takes.\n", "vigil " + members.front()->name);
}

std::string help_text(const CommandSpec& command) {
    std::string out = fmt::format("{}: {}\n", usage_of(command), command.summary);
    if (!command.options.empty()) out += "\n" + options_text(command.options);
    out += "\nFor every command:\n" + options_text(common_options()) + "\nFor example:\n";
    for (const auto& example : command.examples) out += "  " + example + "\n";
    if (!command.notes.empty()) out += "\n" + command.notes;
    if (command.notes.find("Ends ") == command.notes.npos) out += "\n" + exit_codes_text();
    return out;
}

}  // namespace vigil::cli
