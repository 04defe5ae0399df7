#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

// What waits for a person, in order. Pure functions.

namespace vigil::service {

/// What comes first in the inbox.
enum class InboxOrder {
    due,  ///< what has to be answered first
    age,  ///< the oldest
    size  ///< the largest change
};

/// When a regression has to be answered: it counts from when it was found, and for what is filed
/// and nobody has acknowledged; what is muted waits for the mute's end.
/// @param regression   as the API lists it
/// @param answer_due_s after it was found; 0: never
/// @param muted_until  when its mute ends, where it is muted
std::optional<std::int64_t> due_at_s(
    const nlohmann::json& regression,
    std::int64_t answer_due_s,
    std::optional<std::int64_t> muted_until);

/// @param items  regressions with `due_at_s`, a number or null
nlohmann::json in_order(const nlohmann::json& items, InboxOrder order);

/// How much waits, and whether some of it is late: "3 wait for an answer, 1 is late".
std::string inbox_title(const nlohmann::json& items, std::int64_t now_s);

}  // namespace vigil::service
