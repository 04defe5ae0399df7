#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

// What things of a reply are called. Pure functions.

namespace vigil::cli {

/// How a nightly is called.
std::string night_name(const nlohmann::json& nightly);
/// What of a night is withdrawn: "withdrawn by ada: hot"; empty: nothing.
std::string withdrawn_words(const nlohmann::json& withdrawn);
/// The first characters of the revision at `key`.
std::string brief_at(const nlohmann::json& item, const char* key);
/// "mlp (train) on xeon"
std::string benchmark_words(const nlohmann::json& item);
/// "mlp (train) on xeon, cpu_time_ns"
std::string series_words(const nlohmann::json& item);
/// Whether a regression in this state asks somebody for something.
bool is_open_state(const std::string& state);
/// How much worse one series of a regression is: "+18.3 %", "broken".
std::string change_words(const nlohmann::json& series);
/// "mlp (train) on xeon, cpu_time_ns +18.3 %, and 2 more".
std::string regression_words(const nlohmann::json& regression);
/// "active", "not seen for 4 min 00 s", "quarantined, not seen for 2 h 05 min".
std::string worker_words(const nlohmann::json& worker);

}  // namespace vigil::cli
