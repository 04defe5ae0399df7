#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"
#include "service/store/series/suspicions.hpp"

// The table `improvement`: confirmed improvements whose commit is searched, one for the series that
// moved together.

namespace vigil::service {

/// What a night confirmed as better. None, where something of that night stands in the table.
std::vector<ConfirmedChange> list_better(Database& db, NightlyId nightly);

struct NewImprovement {
    SuspicionId suspicion;  ///< of the series that changed most
    ProjectId project;
    NightlyId nightly;
    int others = 0;                      ///< series that moved with it
    std::optional<RequestId> request{};  ///< nullopt: nothing searches it, and it has ended
    std::string message{};               ///< why nothing does
};
void add_improvement(Database& db, const NewImprovement& improvement, std::int64_t now_s);

struct SearchedImprovement {
    SuspicionId suspicion;
    RequestId request;
};
/// Those whose request is over and whose end is not noted yet.
std::vector<SearchedImprovement> list_searched_improvements(Database& db, int limit);

/// The commit that a search named.
struct FoundCommit {
    Revision revision;    ///< empty: it is not known
    std::string subject;  ///< a stranger's text
    Comparison verified;  ///< against its parent; runs_after 0: nothing
};

struct ImprovementEnd {
    FoundCommit found;
    std::string message;  ///< what came of the request; may hold a stranger's text
};
void end_improvement(
    Database& db, SuspicionId suspicion, const ImprovementEnd& end, std::int64_t now_s);

/// This night's summary tells what ended up to now, and no other summary did. No night beside the
/// nights does.
void mark_improvements_reported(Database& db, ProjectId project, NightlyId nightly);

struct NightImprovement {
    SuspicionId suspicion;
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    Comparison confirmed;
    NightlyId nightly;  ///< that confirmed it
    std::string night;  ///< its name
    std::int64_t others = 0;
    std::optional<RequestId> request;
    Revision culprit;          ///< empty: it is not known
    std::string subject;       ///< a stranger's text
    Comparison verified;       ///< the culprit against its parent; runs_after 0: nothing
    std::string message;       ///< may hold a stranger's text
    bool is_searched = false;  ///< still
};
/// Those of a night, and those whose end its summary told; oldest first.
std::vector<NightImprovement> list_night_improvements(Database& db, NightlyId nightly);

}  // namespace vigil::service
