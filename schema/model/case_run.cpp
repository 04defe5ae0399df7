#include "schema/model/case_run.hpp"

#include <algorithm>
#include <array>

#include "schema/model/series_rule.hpp"

namespace vigil {

namespace {

std::string escaped(std::string_view text, std::string_view special) {
    std::string out;
    for (const char c : text) {
        if (special.find(c) != special.npos) out += '\\';
        out += c;
    }
    return out;
}

/// Of POSIX, ECMAScript, RE2, Python and Rust.
std::string as_expression(std::string_view name) {
    return escaped(name, "\\^$.|?*+()[]{}");
}

std::string as_it_is(std::string_view name) {
    return std::string(name);
}

/// "test / benchmark": a benchmark is run by its test case, whose name is a pattern in a list.
std::string as_catch2(std::string_view name) {
    return escaped(name.substr(0, name.find(" / ")), "\\,[\"");
}

/// "package.BenchmarkSum/size=10-8 [toolchain=...]": an expression for each part between slashes.
std::string as_go(std::string_view name) {
    name = name.substr(0, name.find(" ["));
    if (const auto at = name.rfind(".Benchmark"); at != name.npos) name.remove_prefix(at + 1);
    const auto dash = name.find_last_not_of("0123456789");
    const bool has_processors = dash != name.npos && name[dash] == '-' && dash + 1 < name.size();
    if (has_processors) name = name.substr(0, dash);
    std::string out;
    for (;;) {
        const auto slash = std::min(name.find('/'), name.size());
        out += as_expression(name.substr(0, slash));
        if (slash == name.size()) return out;
        out += "$/^";
        name.remove_prefix(slash + 1);
    }
}

struct Placeholder {
    std::string_view name;
    std::string (*write)(std::string_view);
};
constexpr std::string_view begins = "{case";
constexpr std::array<Placeholder, 4> placeholders = {
    {{"{case}", as_expression},
     {"{case:raw}", as_it_is},
     {"{case:catch2}", as_catch2},
     {"{case:go}", as_go}}};

/// The placeholder that a text begins with; nullptr: none.
const Placeholder* find_placeholder(std::string_view text) {
    const auto found = std::ranges::find_if(
        placeholders, [&](const auto& one) { return text.starts_with(one.name); });
    return found == placeholders.end() ? nullptr : &*found;
}

std::string filled(std::string_view argument, const std::string& name) {
    std::string out;
    while (!argument.empty()) {
        const auto at = std::min(argument.find(begins), argument.size());
        out += argument.substr(0, at);
        argument.remove_prefix(at);
        if (argument.empty()) break;
        const auto* placeholder = find_placeholder(argument);
        out += placeholder != nullptr ? placeholder->write(name) : std::string(begins);
        argument.remove_prefix(placeholder != nullptr ? placeholder->name.size() : begins.size());
    }
    return out;
}

}  // namespace

Command with_arguments(Command command, const std::vector<std::string>& arguments) {
    if (arguments.empty()) return command;
    if (command.size() == 3 && command[0] == "/bin/sh" && command[1] == "-c") {
        command[2] += " \"$@\"";
        command.emplace_back("sh");
    }
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

bool is_measured_case(const CasePlan& cases, std::string_view name) {
    return std::ranges::any_of(
        cases.names, [&](const auto& pattern) { return fits_pattern(pattern, name); });
}

std::string case_arguments_problem(std::span<const std::string> arguments) {
    bool has_any = false;
    for (const std::string_view argument : arguments) {
        for (auto at = argument.find(begins); at != argument.npos;
             at = argument.find(begins, at + 1)) {
            if (find_placeholder(argument.substr(at)) == nullptr) {
                return "must be one of {case}, {case:raw}, {case:catch2}, {case:go}";
            }
            has_any = true;
        }
    }
    return has_any || arguments.empty() ? "" : "must name the case: {case}";
}

bool can_run_alone(const BenchmarkPlan& plan) {
    return plan.cases && !plan.cases->arguments.empty();
}

BenchmarkPlan of_case(BenchmarkPlan plan, const std::string& name) {
    Command arguments;
    for (const auto& argument : plan.cases->arguments) arguments.push_back(filled(argument, name));
    plan.command = with_arguments(std::move(plan.command), arguments);
    plan.cases->only = name;
    return plan;
}

BenchmarkPlan of_all_cases(BenchmarkPlan plan) {
    if (!plan.cases || plan.cases->only.empty()) return plan;
    const auto added = std::min(plan.cases->arguments.size(), plan.command.size());
    plan.command.resize(plan.command.size() - added);  // of_case has put them there
    plan.cases->only.clear();
    return plan;
}

}  // namespace vigil
