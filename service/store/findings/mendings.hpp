#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/mending_records.hpp"

// The rows of `mending`: the range of commits in which series of a regression came back, or may
// have, or in which a revert of its culprit is looked for.

namespace vigil::service {

struct MendingRow {
    MendingId id;
    RegressionId regression;
    NightlyId nightly;      ///< measured as back, asked about it, or looked through for a revert
    NightlyId bad_nightly;  ///< the last measured as bad; for a revert, the one that found it
    MendingState state = MendingState::listing;
    Revision bad;  ///< of these nightlies
    Revision mended;
};

/// The mending of a regression in one night.
std::optional<MendingRow> find_mending(Database& db, RegressionId regression, NightlyId nightly);
MendingRow load_mending(Database& db, MendingId mending);

/// Adds one whose commits the git lane has to list.
MendingId add_mending(
    Database& db, RegressionId regression, NightlyId nightly, NightlyId bad_nightly);
void remove_mending(Database& db, MendingId mending);

/// Ends the listing. @return  whether anybody still asks
bool note_commits(Database& db, MendingId mending, const MendingCommits& commits);
/// While it is `listed`.
MendingCommits load_commits(Database& db, MendingId mending);
/// Ends it: the commits are no longer needed.
void note_told(Database& db, MendingId mending, const Mending& told);

/// While it is `told`.
Mending load_told(Database& db, MendingId mending);

/// What came back that night by one of several commits, of which no search measures which.
std::vector<MendingRow> list_unmeasured(Database& db, NightlyId nightly);
/// The mending that a bisection on the line measures; nullopt: none does any more.
std::optional<MendingRow> find_measured(Database& db, BisectionId bisection);
void note_search(Database& db, MendingId mending, BisectionId bisection);

/// The newest night by which a regression's culprit was reverted, and nothing came back.
std::optional<MendingRow> find_vain_revert(Database& db, RegressionId regression);

/// What was asked for and did not come back that night; not what a vain revert says.
void forget_unmended(Database& db, NightlyId nightly);

/// Its search has ended: what brought series back while it went on may be told better, where no
/// revert did and no search of its own measures it.
void ask_again(Database& db, RegressionId regression);

/// Whether the commits of something that came back that night are not here yet.
bool waits_for_mending(Database& db, NightlyId nightly);

/// A range whose commits the git lane has to list.
struct MissingMending {
    MendingId mending;
    ProjectId project;
    Revision bad;
    Revision mended;
    std::string unreadable = {};  ///< why its row cannot be read; then there are no revisions
};
std::vector<MissingMending> list_missing_mendings(
    Database& db, int limit, std::optional<ProjectId> project = std::nullopt);

}  // namespace vigil::service
