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
#include "service/store/findings/fix_records.hpp"

// The rows of `fix`: the range of commits in which series of a regression came back, or may
// have, or in which a revert of its culprit is looked for.

namespace vigil::service {

struct FixRow {
    FixId id;
    RegressionId regression;
    NightlyId nightly;      ///< measured as back, asked about it, or looked through for a revert
    NightlyId bad_nightly;  ///< the last measured as bad; for a revert, the one that found it
    FixState state = FixState::listing;
    Revision bad;  ///< of these nightlies
    Revision fixed;
};

/// The fix of a regression in one night.
std::optional<FixRow> find_fix(Database& db, RegressionId regression, NightlyId nightly);
FixRow load_fix(Database& db, FixId fix);

/// Adds one whose commits the git lane has to list.
FixId add_fix(Database& db, RegressionId regression, NightlyId nightly, NightlyId bad_nightly);
void remove_fix(Database& db, FixId fix);

/// Ends the listing. @return  whether anybody still asks
bool note_commits(Database& db, FixId fix, const FixCommits& commits);
/// While it is `listed`.
FixCommits load_commits(Database& db, FixId fix);
/// Ends it: the commits are no longer needed.
void mark_reported(Database& db, FixId fix, const Fix& told);

/// While it is `told`.
Fix load_told(Database& db, FixId fix);

/// What came back that night by one of several commits, of which no search measures which.
std::vector<FixRow> list_unmeasured(Database& db, NightlyId nightly);
/// The fix that a bisection on the line measures; nullopt: none does any more.
std::optional<FixRow> find_measured(Database& db, BisectionId bisection);
void note_search(Database& db, FixId fix, BisectionId bisection);

/// The newest night by which a regression's culprit was reverted, and nothing came back.
std::optional<FixRow> find_vain_revert(Database& db, RegressionId regression);

/// What was asked for and did not come back that night; not what a vain revert says.
void forget_unfixed(Database& db, NightlyId nightly);

/// Its search has ended: what brought series back while it went on may be told better, where no
/// revert did and no search of its own measures it.
void ask_again(Database& db, RegressionId regression);

/// Whether the commits of something that came back that night are not here yet.
bool waits_for_fix(Database& db, NightlyId nightly);

/// A range whose commits the git lane has to list.
struct MissingFix {
    FixId fix;
    ProjectId project;
    Revision bad;
    Revision fixed;
    std::string unreadable = {};  ///< why its row cannot be read; then there are no revisions
};
std::vector<MissingFix> list_missing_fixes(
    Database& db, int limit, std::optional<ProjectId> project = std::nullopt);

}  // namespace vigil::service
