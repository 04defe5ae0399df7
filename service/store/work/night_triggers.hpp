#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// What came of looking for a project's nights (table trigger_request).

namespace vigil::service {

/// Whether somebody asked for a nightly and has no answer yet.
bool has_waiting_trigger(Database& db, ProjectId project);

/// What the newest trigger came to, in words; empty while it waits.
std::optional<std::string> find_newest_trigger_message(Database& db, ProjectId project);

/// When a trigger last came to a night, new or known.
std::optional<std::int64_t> find_newest_answer_s(Database& db, ProjectId project);

}  // namespace vigil::service
