#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// Nights as reports tell of them.

namespace vigil::service {

struct ReportedNight {
    NightlyId id;
    ProjectId project_id;
    std::string project;  ///< its name
    std::string version;
    std::string name;  ///< its day, with a number from the second of a day on
    Revision revision;
    std::string beside;  ///< why it is no night, in words; empty: it is one
    NightlyState state = NightlyState::measuring;
    std::string message;  ///< why it failed
    std::int64_t started_at_s = 0;
    std::int64_t ended_at_s = 0;   ///< 0: not ended
    std::string same_revision_as;  ///< version of an earlier nightly; empty: a new revision
    /// Judged series that were held against an earlier night; nullopt: not judged.
    std::optional<std::int64_t> compared_series;
};
ReportedNight load_reported_night(Database& db, NightlyId nightly);

/// A build that is one end of a regression's range, and the nightly it came with.
struct EndFact {
    Revision revision;
    std::string version;  ///< of its nightly; empty: not a nightly
    std::string night;    ///< its name; empty: not a nightly
};
EndFact load_end_fact(Database& db, BuildId build);

/// What came, went, or is measured in another way, in words.
std::vector<std::string> list_series_notes(Database& db, NightlyId nightly, int limit);

struct EndedNight {
    ProjectId project;
    std::int64_t ended_at_s = 0;
};
/// A night, once it ended.
std::optional<EndedNight> find_ended_night(Database& db, NightlyId night);
/// When the project's newest that ended before it did.
std::optional<std::int64_t> find_ended_before_s(
    Database& db, NightlyId night, const EndedNight& ended);

}  // namespace vigil::service
