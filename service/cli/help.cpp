#include <algorithm>

#include <fmt/format.h>

#include "service/cli/options.hpp"

namespace vigil::cli {

namespace {

std::string usage_of(const CommandSpec& command) {
    std::string out = "vigil " + command.name;
    for (const auto& argument : command.arguments) out += " " + argument;
    return out;
}

std::string options_text(const std::vector<Option>& options) {
    std::string out;
    for (const auto& option : options) {
        const std::string left =
            "--" + option.name + (option.value.empty() ? "" : " " + option.value);
        out += fmt::format("  {:<20}  {}\n", left, option.help);
    }
    return out;
}

}  // namespace

std::string help_text() {
    std::size_t width = 0;
    for (const auto& command : commands()) width = std::max(width, usage_of(command).size());
    std::string out = "vigil: asks the Vigil daemon, and tells it what to do\n\n";
    for (const auto& command : commands()) {
        out += fmt::format("  {:<{}}  {}\n", usage_of(command), width, command.summary);
    }
    out += "\nFor every command:\n" + options_text(common_options());
    out +=
        "\nEnds with: 0 done; 1 asked with --exit-code or --wait, and something is open or went\n"
        "wrong; 2 the command line is wrong; 3 the server does not answer or cannot serve now;\n"
        "4 the server refused. compare, bisect run and detect have some of their own: see\n"
        "their help.\n"
        "Colours only on a terminal, and not with NO_COLOR set.\n\n"
        "vigil COMMAND --help shows a command's options and examples.\n";
    return out;
}

std::string help_text(const CommandSpec& command) {
    std::string out = fmt::format("{}: {}\n", usage_of(command), command.summary);
    if (!command.options.empty()) out += "\n" + options_text(command.options);
    out += "\nFor every command:\n" + options_text(common_options()) + "\nFor example:\n";
    for (const auto& example : command.examples) out += "  " + example + "\n";
    if (!command.notes.empty()) out += "\n" + command.notes;
    return out;
}

}  // namespace vigil::cli
