#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/api/rows/findings.hpp"

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
/// @param answer_due_s after it was found; 0: never
/// @param muted_until  when its mute ends, where it is muted
std::optional<std::int64_t> due_at_s(
    const ListedRegression& regression,
    std::int64_t answer_due_s,
    std::optional<std::int64_t> muted_until);

struct InboxRow : ListedRegression {
    std::optional<std::int64_t> due_at_s;

    bool is_late(std::int64_t now_s) const { return due_at_s && *due_at_s < now_s; }
};

std::vector<InboxRow> in_order(std::vector<InboxRow> rows, InboxOrder order);

/// How much waits, and whether some of it is late: "3 wait for an answer, 1 is late".
std::string inbox_title(const std::vector<InboxRow>& rows, std::int64_t now_s);

}  // namespace vigil::service
