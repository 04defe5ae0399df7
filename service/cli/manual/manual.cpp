#include "service/cli/manual/manual.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/model/version.hpp"
#include "service/cli/help.hpp"

namespace vigil::cli {

namespace {

/// Text that roff takes for nothing but text: no line is a request, and no dash a hyphen.
std::string roff(std::string_view text) {
    std::string out;
    bool begins = true;
    for (const char c : text) {
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        switch (c) {
            case '\\': out += "\\e"; break;
            case '-': out += "\\-"; break;
            default: out += c;
        }
        begins = c == '\n';
    }
    return out;
}

std::string heading(std::string_view name, int section, std::string_view summary) {
    return fmt::format(
        ".TH \"{}\" {} \"\" \"Vigil {}\"\n.SH NAME\n{} \\- {}\n",
        roff(name),
        section,
        program_version(),
        roff(name),
        roff(summary));
}

/// Lines as they are.
std::string literal(std::string_view text) {
    return ".nf\n" + roff(text) + (text.ends_with('\n') ? "" : "\n") + ".fi\n";
}

std::string options_text(const std::vector<Option>& options) {
    std::string out;
    for (const auto& option : options) {
        out += fmt::format(
            ".TP\n\\fB\\-\\-{}\\fR \\fI{}\\fR\n{}",
            roff(option.name),
            roff(option.value),
            roff(option.help));
        if (!option.choices.empty()) out += fmt::format("\n({})", fmt::join(option.choices, ", "));
        out += "\n";
    }
    return out;
}

std::string command_text(const CommandSpec& command) {
    std::string out = fmt::format(".SS {}", roff(command.name));
    for (const auto& argument : command.arguments) out += " " + roff(argument);
    out += "\n" + roff(command.summary) + "\n" + options_text(command.options);
    if (!command.notes.empty()) out += ".PP\n" + literal(command.notes);
    std::string examples;
    for (const auto& example : command.examples) examples += "    " + example + "\n";
    return examples.empty() ? out : out + ".PP\n" + literal(examples);
}

bool names_file(const std::string& word) {
    constexpr std::array marks{"FILE", "FOLDER", "DIR", "REPOSITORY"};
    return std::any_of(
        marks.begin(), marks.end(), [&](const char* mark) { return word.find(mark) != word.npos; });
}

std::string joined(const std::set<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

constexpr const char* script = R"(# Completes {name}; made from its table of commands.
# In zsh run first: autoload -U bashcompinit && bashcompinit
_{name}() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local one= two= command= options= words= files= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${{COMP_WORDS[i]}} in -*) break ;; esac
        if [ -z "$one" ]; then one=${{COMP_WORDS[i]}}; elif [ -z "$two" ]; then two=${{COMP_WORDS[i]}}; fi
    done
    COMPREPLY=()
    for command in "$one $two" "$one"; do
        case $command in
{options}        esac
        [ -z "$options" ] || break
    done
    case $before in
        --server) return ;;
        --token-file) files=yes ;;
    esac
    case "$command $before" in
{values}    esac
    if [ -z "$words$files" ]; then
        case $word in -*) words=${{options:-{common}}} ;; esac
        if [ -z "$words" ] && [ -z "$one" ]; then words='{first}'; fi
        if [ -z "$words" ] && [ -z "$two" ]; then
            case $one in
{groups}            esac
        fi
        [ -n "$words" ] || files=yes
    fi
    if [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
    elif [ -n "$files" ]; then
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _{name} {name}
)";

/// One branch of a shell's `case`.
std::string branch(const std::string& pattern, const std::string& does) {
    return fmt::format("        '{}') {} ;;\n", pattern, does);
}

}  // namespace

std::string man_page(const Program& program) {
    std::string out = heading(program.name, 1, program.summary);
    out += fmt::format(
        ".SH SYNOPSIS\n.B {}\n.I COMMAND\n[\\fIARGUMENTS\\fR] [\\fB\\-\\-OPTION\\fR "
        "\\fIVALUE\\fR]\n.SH DESCRIPTION\nFor example:\n",
        roff(program.name));
    std::string examples;
    for (const auto& example : program.examples) examples += "    " + example + "\n";
    out += literal(examples);
    std::vector<std::string> sections;
    for (const auto& command : program.commands) {
        if (std::find(sections.begin(), sections.end(), command.section) == sections.end()) {
            sections.push_back(command.section);
        }
    }
    for (const auto& section : sections) {
        out += fmt::format(".SH \"{}\"\n", roff(section));
        for (const auto& command : program.commands) {
            if (command.section == section) out += command_text(command);
        }
    }
    out += ".SH \"OPTIONS OF EVERY COMMAND\"\n" + options_text(common_options(program.asks_daemon));
    out += ".SH \"EXIT STATUS\"\n" + literal(exit_codes_text());
    return out +
           ".SH \"SEE ALSO\"\n.BR vigild (8),\n.BR vigil\\-worker (8);\n"
           "/usr/share/doc/vigil/docs\n";
}

std::string man_page_of_help(std::string_view help) {
    const auto colon = help.find(": ");
    const auto end = help.find('\n');
    if (colon == help.npos || end == help.npos || colon > end) {
        throw Error(
            Errc::invalid_argument, "the help of a program begins with its name and a colon");
    }
    std::string out = heading(help.substr(0, colon), 8, help.substr(colon + 2, end - colon - 2));
    return out + ".SH DESCRIPTION\n" + literal(help.substr(end + 1)) +
           ".SH \"SEE ALSO\"\n.BR vigil (1);\n/usr/share/doc/vigil/docs\n";
}

std::string bash_completion(const Program& program) {
    std::set<std::string> first;
    std::map<std::string, std::set<std::string>> second;  // of commands of two words, by the first
    std::string options;                                  // by command
    std::string values;                                   // by command and option
    std::set<std::string> common;
    for (const auto& option : common_options(program.asks_daemon))
        common.insert("--" + option.name);
    for (const auto& command : program.commands) {
        const auto blank = command.name.find(' ');
        first.insert(command.name.substr(0, blank));
        if (blank != command.name.npos) {
            second[command.name.substr(0, blank)].insert(command.name.substr(blank + 1));
        }
        auto names = common;
        for (const auto& option : command.options) {
            names.insert("--" + option.name);
            const auto at = command.name + " --" + option.name;
            if (!option.choices.empty()) {
                values += branch(at, fmt::format("words='{}'", fmt::join(option.choices, " ")));
            } else if (!option.value.empty()) {
                values += branch(at, names_file(option.value) ? "files=yes" : "return");
            }
        }
        options += branch(command.name, fmt::format("options='{}'", joined(names)));
    }
    std::string groups;
    for (const auto& [word, rest] : second) {
        groups += branch(word, fmt::format("words=\"$words {}\"", joined(rest)));
    }
    return fmt::format(
        script,
        fmt::arg("name", program.name),
        fmt::arg("options", options),
        fmt::arg("values", values),
        fmt::arg("common", joined(common)),
        fmt::arg("first", joined(first)),
        fmt::arg("groups", groups));
}

}  // namespace vigil::cli
