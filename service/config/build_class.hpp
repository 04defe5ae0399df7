#pragma once

#include <string>

#include "service/config/config.hpp"

namespace vigil::service {

/// What is wrong with the class that builds for another; empty: nothing. It exists, has no build
/// class itself, has no canary, and is in no project's matrix.
std::string build_class_problem(const Config& config, const std::string& machine_class);

/// What keeps a project from being measured on a class because of its build class; empty: nothing.
/// A build for the machine that it runs on is no build for another one.
std::string matrix_class_problem(
    const Config& config, const ProjectConfig& project, const std::string& machine_class);

}  // namespace vigil::service
