#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Table `mute`: regressions, and series of which all that is found, are not spoken of for a while.
// The view `muted` says which regressions these are now.

namespace vigil::service {

struct NewMute {
    ProjectId project;
    std::optional<RegressionId> regression = {};  ///< this, or
    std::optional<SeriesId> series = {};          ///< this
    std::string owner = {};                       ///< who answers for it
    std::string reason = {};
    std::string token = {};  ///< of whoever asked for it
    std::int64_t until_s = 0;
};

/// Mutes it, with the event "mute.begun". What stood before of the same thing ends.
MuteId add_mute(Database& db, const NewMute& mute, std::int64_t now_s);

/// Ends it before its time, with the event "mute.ended".
/// @param why  one line, for a person
/// @throws Error{not_found}; Error{conflict} when it has ended
void end_mute(Database& db, MuteId mute, const std::string& why, std::int64_t now_s);

/// Ends those whose time is over, each with its event.
void end_due_mutes(Database& db, std::int64_t now_s);

}  // namespace vigil::service
