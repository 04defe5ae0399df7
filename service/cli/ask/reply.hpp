#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

// Members of a reply, forgiving: what is missing or null is empty or zero; and what its things are
// called. Pure functions.

namespace vigil::cli {

std::string text_at(const nlohmann::json& object, const char* key);
std::int64_t number_at(const nlohmann::json& object, const char* key);
double real_at(const nlohmann::json& object, const char* key);
bool flag_at(const nlohmann::json& object, const char* key);
bool is_set(const nlohmann::json& object, const char* key);
/// A text, or a whole number as one; empty where it has neither.
std::string words_at(const nlohmann::json& object, const char* key);
/// The object at `key`; an empty one when it is missing.
const nlohmann::json& object_at(const nlohmann::json& object, const char* key);
/// The array at `key`; an empty one when it is missing.
const nlohmann::json& array_at(const nlohmann::json& object, const char* key);

/// How a nightly is called.
std::string night_name(const nlohmann::json& nightly);
/// What of a night is withdrawn: "withdrawn by ada: hot"; empty: nothing.
std::string withdrawn_words(const nlohmann::json& withdrawn);
/// The first characters of the revision at `key`.
std::string brief_at(const nlohmann::json& item, const char* key);
/// "mlp (train) on xeon"
std::string benchmark_words(const nlohmann::json& item);
/// "prog: BM_Sort/64, items_per_second": with case and quantity where it has them.
std::string shown_benchmark(const nlohmann::json& item);
/// "mlp (train) on xeon, cpu_time_ns"
std::string series_words(const nlohmann::json& item);
/// Whether a regression in this state asks somebody for something.
bool is_open_state(const std::string& state);

/// How a regression ended, else its state.
std::string standing_at(const nlohmann::json& regression);
/// How much worse one series of a regression is: "+18.3 % [15.1, 21.6]", "broken".
std::string change_words(const nlohmann::json& series);
/// Where it stands by now: "+6.6 % [5.1, 8.2]"; empty: no later night measured it.
std::string today_words(const nlohmann::json& series);
/// "mlp (train) on xeon, cpu_time_ns +18.3 % [15.1, 21.6], today +6.6 % [5.1, 8.2], and 2 more".
std::string regression_words(const nlohmann::json& regression);
/// "active", "not seen for 4 min 00 s", "quarantined, not seen for 2 h 05 min".
std::string worker_words(const nlohmann::json& worker);

}  // namespace vigil::cli
