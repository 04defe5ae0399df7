#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/harness/console/recognize.hpp"
#include "service/local/reading/order.hpp"
#include "worker/run/run.hpp"

// What a run printed, and which of a harness's readings an order means. Strangers' text: call it by
// a guarded call (worker/run/guarded.hpp).

namespace vigil::local {

std::string_view last_line(std::string_view text);

/// The lines of numbers that a text ends with, last first.
std::vector<double> numbers_at_end(std::string_view text);

/// The JSON object or array that a text ends with, when it begins a line.
std::optional<nlohmann::json> json_at_end(std::string_view text);

/// Whose numbers a run printed, where they are of a harness.
std::optional<harness::SelfSizing> seen_in(const worker::RunReport& report, const Order& order);

/// Whether it is the quantity that is judged.
bool is_wanted(const harness::Reading& reading, const Order& order);

/// The unit of its values once they are scaled.
std::string unit_shown(const harness::Reading& reading);

/// By the rules of the order, else as the harness tells it, else as it was asked for.
/// @throws Error{invalid_argument} where nothing says it
Direction direction_of(const harness::Reading& reading, const Order& order);

/// @throws Error{invalid_argument}
[[noreturn]] void refuse_printed(const std::string& why);

/// @throws Error{invalid_argument} for a value that is none of a time, a rate or a memory
void check_values(const std::vector<double>& values, bool may_be_zero);

/// The median of what it says, in unit_shown.
/// @throws Error{invalid_argument} where it failed, or as check_values does
double value_in(const harness::Reading& reading, bool may_be_zero);

}  // namespace vigil::local
