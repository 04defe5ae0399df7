#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "service/cli/help.hpp"
#include "service/cli/manual/manual.hpp"

namespace vigil::cli {

namespace {

/// What a renderer would take for a tag or for a cell of its own.
std::string plain(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '<': out += "&lt;"; break;
            case '|': out += "\\|"; break;
            case '*': out += "\\*"; break;
            case '_': out += "\\_"; break;
            case '\n': out += ' '; break;
            default: out += c;
        }
    }
    return out;
}

std::string fenced(std::string_view text) {
    return fmt::format("\n```\n{}{}```\n", text, text.ends_with('\n') ? "" : "\n");
}

std::string options_table(const std::vector<Option>& options) {
    if (options.empty()) return "";
    std::string out = "\n| Option | Meaning |\n| --- | --- |\n";
    for (const auto& option : options) {
        const auto value = option.value.empty() ? "" : " " + option.value;
        const auto choices =
            option.choices.empty() ? "" : fmt::format(" ({})", fmt::join(option.choices, ", "));
        out +=
            fmt::format("| `--{}{}` | {}{} |\n", option.name, value, plain(option.help), choices);
    }
    return out;
}

std::string command_section(const Program& program, const CommandSpec& command) {
    std::string call = program.name + " " + command.name;
    for (const auto& argument : command.arguments) call += " " + argument;
    auto out = fmt::format(
        "\n### {}\n\n`{}`: {}\n{}",
        command.name,
        call,
        plain(command.summary),
        options_table(command.options));
    if (!command.notes.empty()) out += fenced(command.notes);
    if (!command.examples.empty())
        out += fenced(fmt::format("{}", fmt::join(command.examples, "\n")));
    return out;
}

}  // namespace

std::string markdown_page(const Program& program) {
    auto out = fmt::format("# Commands of {}\n\n{}\n", program.name, plain(program.summary));
    out += fenced(fmt::format("{}", fmt::join(program.examples, "\n")));
    std::vector<std::string> sections;
    for (const auto& command : program.commands) {
        if (std::ranges::find(sections, command.section) == sections.end()) {
            sections.push_back(command.section);
        }
    }
    for (const auto& section : sections) {
        out += fmt::format("\n## {}\n", plain(section));
        for (const auto& command : program.commands) {
            if (command.section == section) out += command_section(program, command);
        }
    }
    out += "\n## Options of every command\n" + options_table(common_options(program.asks_daemon));
    return out + "\n## Exit status\n" + fenced(exit_codes_text());
}

}  // namespace vigil::cli
