#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/wire/json.hpp"

namespace vigil::service {

/// The text of a config, parsed, that can say where each of its values stands.
class ConfigDocument {
  public:
    /// @throws Error{invalid_argument} naming file, line and column
    ConfigDocument(std::string_view text, std::string file);
    ~ConfigDocument();
    ConfigDocument(const ConfigDocument&) = delete;
    ConfigDocument& operator=(const ConfigDocument&) = delete;

    const nlohmann::json& root() const { return *root_; }

    /// @param steps  the way to a value: keys, and "[0]" for an element of a list
    /// @throws Error{invalid_argument} "<file>:<line>: <key path> <why>"; a value that is not there
    ///         stands where the nearest one around it stands
    [[noreturn]] void refuse(const std::vector<std::string>& steps, const std::string& why) const;

  private:
    std::string file_;
    std::map<std::string, wire::JsonPosition> positions_;
    std::unique_ptr<nlohmann::json> root_;
};

/// "projects.tensorlab.matrix[0].suite"
std::string key_path(const std::vector<std::string>& steps);

}  // namespace vigil::service
