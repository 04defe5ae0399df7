#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// The commits between a night and the one before it: tables night_range and night_commit, and
// nightly.commits, which says whether they are listed.

namespace vigil::service {

/// A night whose commits the git lane is asked for.
struct UnlistedNight {
    NightlyId night;
    Revision revision;
    std::optional<NightlyId> since;  ///< the night before, failed or not; nullopt: there is none
    Revision since_revision;
    std::string unreadable = {};  ///< why its row cannot be read
};

/// The newest first: tonight's are asked about.
std::vector<UnlistedNight> list_unlisted_nights(Database& db, ProjectId project, int limit);

/// Subject and author are a stranger's text.
struct NightCommit {
    Revision revision;
    std::string subject;
    std::string author;
    std::int64_t authored_at_s = 0;
};

struct NightCommits {
    std::int64_t count = 0;            ///< of all of them
    std::vector<NightCommit> commits;  ///< the newest of them, oldest first
    std::string none = {};             ///< why they are not known; empty: they are
};

/// Keeps what was listed, instead of what was before. Where another night has come between the two
/// meanwhile, nothing is kept, and the git lane is asked again.
void record_night_commits(Database& db, const UnlistedNight& asked, const NightCommits& commits);

/// A night has come between the one after this one and the one that was before that: its commits
/// are listed anew.
void note_night_between(Database& db, ProjectId project, NightlyId nightly);

struct NightBefore {
    NightlyId id;
    std::string name;
    Revision revision;
};

/// What is known of a nightly's commits.
struct KnownCommits {
    ProjectId project;
    Revision revision;
    std::optional<std::string> beside;  ///< why it is no night
    std::string state;                  ///< listing, listed, none
    std::int64_t count = 0;
    std::string none;  ///< why there are none
    std::optional<NightBefore> since;
};
/// @throws Error{not_found}
KnownCommits load_known_commits(Database& db, NightlyId nightly);

/// Those that are kept, oldest first.
std::vector<NightCommit> list_night_commits(Database& db, NightlyId nightly);

}  // namespace vigil::service
