#pragma once

#include <string>
#include <vector>

#include "service/report/send/commit_pull.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/reports/culprit_pulls.hpp"
#include "service/store/reports/tracker.hpp"

// GitHub is asked which pull requests brought verified culprits. A question changes nothing, so
// after a kill it is asked again. Rows are in steady time.

namespace vigil::service {

/// A question on its way.
struct DueCulprit {
    RequestedCulprit row;
    ReportTarget target;
    OutboxRow begun;
    OpenWrite write;
};

/// Takes what is due, at most one for each tracker's host, in the caller's transaction. While the
/// config holds reports none is taken. Commit before anything is sent.
std::vector<DueCulprit> take_due_culprits(Database& db, const Config& config, const Moment& now);

/// Records what came of it, with the event "culprit.pull" or "culprit.no_pull".
/// @param now  after the attempt
void finish_culprit(
    Database& db, const DueCulprit& culprit, const CommitPull& came, const Moment& now);

}  // namespace vigil::service
