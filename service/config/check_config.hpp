#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/config/config.hpp"

namespace vigil::service {

/// What a config's text is worth. The daemon starts with one that has no errors.
struct CheckedConfig {
    Config config;
    /// "<file>:<line>:<column>: <key path> <why>", all of them, in the order they were met.
    std::vector<std::string> errors;
    /// Likewise: what starts, and is hardly what was meant.
    std::vector<std::string> warnings;
};

/// @param file  as parse_config has it
CheckedConfig check_config(std::string_view text, const std::string& file);

/// @throws Error{invalid_argument} when the file cannot be read
CheckedConfig check_config_file(const std::string& path);

}  // namespace vigil::service
