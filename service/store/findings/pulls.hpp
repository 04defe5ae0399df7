#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// The table `pull`: commits of pull requests that are to be measured.

namespace vigil::service {

struct NewPull {
    ProjectId project;
    std::string target;       ///< name of the report target
    std::int64_t number = 0;  ///< of the pull request
    Revision head;            ///< the commit that is measured
    Revision base;            ///< tip of the branch that it is to come into
    bool is_fork = false;
    std::string requested_by;  ///< "label", or who said so
    PullState state = PullState::listing;
    std::int64_t seen_at_s = 0;              ///< GitHub's time of what it said of it
    std::optional<RegressionId> fixes = {};  ///< whose issue it says that it fixes
};
/// With the event "pull.STATE".
PullId add_pull(Database& db, const NewPull& pull, std::int64_t now_s);

struct PullRow {
    PullId id;
    ProjectId project;
    std::string target;
    std::int64_t number = 0;
    Revision head;
    Revision base;
    bool is_fork = false;
    std::string requested_by;
    PullState state = PullState::listing;
    std::string message;
    std::optional<RequestId> request;
    std::int64_t seen_at_s = 0;
    std::optional<RegressionId> fixes;  ///< whose issue it says that it fixes
};
PullRow load_pull(Database& db, PullId pull);

/// The commits of one pull request, in the order they came.
std::vector<PullRow> list_pulls_of(Database& db, const std::string& target, std::int64_t number);

/// Those whose merge base the git lane has to find.
std::vector<PullRow> list_listing_pulls(Database& db, ProjectId project, int limit);

/// Moves it with a message, to be told anew, with the event "pull.STATE".
/// @throws Error{not_found}; Error{conflict} where the state machine has no such arrow
void move_pull(
    Database& db, PullId pull, PullState to, std::string_view message, std::int64_t now_s);

/// What is known of it now: who asked for it, and the tip of the branch.
void note_requested(Database& db, PullId pull, const std::string& by, const Revision& base);
void note_seen(Database& db, PullId pull, std::int64_t seen_at_s);
void note_request(Database& db, PullId pull, RequestId request);
/// It says now that it fixes this one, and is told anew; nothing where it is known.
void note_fixes(Database& db, PullId pull, RegressionId regression);

/// One that is measured, and whose request is over.
struct EndedPull {
    PullId id;
    RequestState state = RequestState::done;
    std::string message;
};
std::vector<EndedPull> list_ended_pulls(Database& db, int limit);

/// Those of which the newest state was not told yet.
std::vector<PullId> list_unreported_pulls(Database& db, int limit);
void mark_reported(Database& db, PullId pull);

}  // namespace vigil::service
