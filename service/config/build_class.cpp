#include "service/config/build_class.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace vigil::service {

namespace {

bool is_measured_on(const ProjectConfig& project, const std::string& machine_class) {
    return std::ranges::any_of(project.matrix, [&](const MatrixEntry& entry) {
        return std::ranges::find(entry.machine_classes, machine_class) !=
               entry.machine_classes.end();
    });
}

/// "-march=native" in a recipe; empty: none is seen. What its own files say is not looked at.
std::string native_option(const Recipe& recipe) {
    constexpr std::array<std::string_view, 4> options{
        "-march=native", "-mcpu=native", "-mtune=native", "target-cpu=native"};
    for (const auto option : options) {
        const auto holds = [&](const std::string& text) { return text.find(option) != text.npos; };
        for (const auto& command : recipe.commands) {
            if (std::ranges::any_of(command, holds)) return std::string(option);
        }
        for (const auto& [name, value] : recipe.environment) {
            if (holds(value)) return std::string(option);
        }
    }
    return "";
}

}  // namespace

std::string build_class_problem(const Config& config, const std::string& machine_class) {
    const auto& name = config.machine_classes.at(machine_class).build_class;
    if (name.empty()) return "";
    const auto found = config.machine_classes.find(name);
    if (found == config.machine_classes.end()) {
        return "names the machine class \"" + name + "\", which the config does not have";
    }
    if (name == machine_class)
        return "names this class itself, whose workers build anyhow; take it out";
    if (!found->second.build_class.empty()) {
        return "names " + name + ", for which " + found->second.build_class +
               " builds; name a class that builds for itself";
    }
    if (found->second.canary) return "names " + name + ", which has a canary: it builds only";
    for (const auto& [project, one] : config.projects) {
        if (!is_measured_on(one, name)) continue;
        return "names " + name + ", on which project " + project + " measures: it builds only";
    }
    return "";
}

std::string matrix_class_problem(
    const Config& config, const ProjectConfig& project, const std::string& machine_class) {
    const auto found = config.machine_classes.find(machine_class);
    if (found == config.machine_classes.end() || found->second.build_class.empty()) return "";
    auto option = native_option(project.recipe);
    if (option.empty() && project.source_recipe) option = native_option(*project.source_recipe);
    if (option.empty()) return "";
    return "names " + machine_class + ", for which " + found->second.build_class +
           " builds, and the recipe has " + option +
           ": that is the CPU of the machine that builds; name the one that measures";
}

}  // namespace vigil::service
