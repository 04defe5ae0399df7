#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/schedule/written_result.hpp"
#include "service/store/database.hpp"

// What a worker's result becomes in the ledger.

namespace vigil::service {

/// What became of a result.
enum class Taking {
    taken,
    again,    ///< the very result that was taken before
    stale,    ///< of an attempt that is over: the job went to somebody else, or was cancelled
    foreign,  ///< of another ledger's attempt: this one is new, or was restored
};

/// Records a result: products, environments, runs, measurements; the job is done. The same result
/// again changes nothing. A result with a `failure` counts as a lost attempt, unless the worker is
/// to blame: then it is held, and the job waits again as before. A stale or foreign one is recorded
/// as such and otherwise ignored. It runs in the caller's transaction on the writer.
/// @throws Error{invalid_argument} when the result does not fit the job
Taking finish_job(
    Database& db,
    const JobConfig& rules,
    JobId job,
    int attempt,
    WorkerId worker,
    const WrittenResult& result,
    std::int64_t now_s);

}  // namespace vigil::service
