#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/pulls.hpp"

// The newest commit of a pull request is measured against the commit at which it left its branch,
// as any comparison that a person asks for; so is that of one that says that it fixes a regression,
// whose thread is told how much comes back. Of a fork nothing is built before a person who may
// write to the repository names that very commit.

namespace vigil::service {

/// A pull request as GitHub tells of it.
struct PullFacts {
    std::int64_t number = 0;
    Revision head;
    Revision base;  ///< tip of the branch that it is to come into
    bool is_fork = false;
    bool is_open = true;
    std::int64_t at_s = 0;                ///< when it was so, by GitHub's clock
    std::vector<std::string> fixes = {};  ///< addresses of the issues that it says it fixes
};

/// What an event says of a pull request.
enum class PullNews {
    labelled,    ///< it has the label
    moved,       ///< it has another commit, and not the label
    unlabelled,  ///< the label was taken off
    fixing,      ///< it has not the label, and says that it fixes an issue
    closed
};

/// What was done, in words.
struct PullAnswer {
    bool acted = false;
    std::string words;
};
/// Takes an event: the newest commit of a labelled pull request is measured, once, and of one that
/// says that it fixes a regression's issue, by the series of that regression; what is measured
/// of older commits is stopped, and so is all of one that is closed or no longer labelled. What
/// GitHub said before something that is known already says nothing.
PullAnswer take_pull(
    Database& db,
    ProjectId project,
    const std::string& target,
    const PullFacts& facts,
    PullNews news,
    std::int64_t now_s);

/// A person who may write asks for the newest commit, also for one that was measured before.
/// @param named  the commit that the person has looked at; empty: none was named
/// @return  which row
/// @throws Error{conflict} when it is closed, when a fork's commit is not named, when another one
///         is the newest, or when it is measured already; the message says what to do
PullId ask_for_pull(
    Database& db,
    ProjectId project,
    const std::string& target,
    const PullFacts& facts,
    const std::string& named,
    const std::string& by,
    std::int64_t now_s);

/// The git lane has found where it left its branch: it is asked for, or fails with the reason.
void record_merge_base(
    Database& db, const Config& config, PullId pull, const Revision& base, std::int64_t now_s);

/// It cannot be measured.
void fail_pull(Database& db, PullId pull, const std::string& why, std::int64_t now_s);

/// Ends those whose requests are over. @return  how many
int advance_pulls(Database& db, std::int64_t now_s);

}  // namespace vigil::service
