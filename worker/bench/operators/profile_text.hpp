#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

// How a profile writes times, shares and rates.

namespace vigil_bench {

/// "1.23 ms".
std::string time_text(double ns);

/// "60.0 %" of 0.6.
std::string percent_text(double share);

/// "12.3 G" of 12.3e9.
std::string amount_text(double amount);

/// One bar of the Trace Event Format; its times are microseconds.
/// @param track  operators lie in 1, modules in 2
nlohmann::json complete_event(
    const char* category, const std::string& name, double start_ns, double end_ns, int track);

}  // namespace vigil_bench
