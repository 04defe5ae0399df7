#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "bisect/trend/rules.hpp"

namespace vigil::cli {

/// The rule by which nights are judged, as data.
struct WatchRule {
    trend::LevelWatchRules watch;
    double suspicious = 4.5;  ///< nats from which on a night is worth measuring again
};

/// Reads a JSON object; what it leaves out is as by default.
/// @param name  of the file, for messages
/// @throws Error{invalid_argument} with the key: unknown, of another type, or out of its range
WatchRule parse_watch_rule(std::string_view text, const std::string& name);

nlohmann::json watch_rule_json(const WatchRule& rule);

}  // namespace vigil::cli
