#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/reports/outbox.hpp"

// The table `culprit_pull`: which pull requests brought the verified culprits of regressions. Times
// of attempts are steady.

namespace vigil::service {

/// The pull requests of verified culprits are asked for, each once: those of a project's open
/// regressions whose report went, or goes, to the target.
void ask_for_culprits(Database& db, ProjectId project, const std::string& target);
/// It was never asked for.
void forget_culprit(Database& db, std::int64_t culprit);

/// A culprit whose pull request is not known yet.
struct RequestedCulprit {
    std::int64_t id = 0;
    RegressionId regression;
    std::string target;  ///< name of the report target
    Revision revision;
    int attempts = 0;
};
/// Longest waiting first.
std::vector<RequestedCulprit> list_requested_culprits(
    Database& db, std::int64_t steady_s, int limit);

/// Of the row, what the rules of service/report/deliver move; one that is dead has no pull request.
void write_requested_culprit(Database& db, std::int64_t culprit, const OutboxRow& row);

/// @param number  of the pull request; nullopt: there is none
void note_culprit_pull(Database& db, std::int64_t culprit, std::optional<std::int64_t> number);

/// The regression changed: the comments of all its culprits are written anew.
void untell_culprits(Database& db, RegressionId regression);

/// A pull request whose comment does not say yet how its regressions stand.
struct CulpritPlace {
    std::string target;
    std::int64_t number = 0;
};
/// Those of a target of which a regression is filed as an issue.
std::vector<CulpritPlace> list_unreported_culprits(
    Database& db, const std::string& target, int limit);

/// A regression that a pull request brought.
struct CulpritRow {
    RegressionId regression;
    Revision revision;
    std::string issue;  ///< address of its issue
};
/// Those that are filed, oldest first.
std::vector<CulpritRow> list_culprits_at(Database& db, const CulpritPlace& place, int limit);
void note_culprits_told(Database& db, const CulpritPlace& place);

}  // namespace vigil::service
