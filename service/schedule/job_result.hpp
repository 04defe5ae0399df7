#pragma once

#include <cstdint>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/job.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

// What a worker's result becomes in the ledger.

namespace vigil::service {

/// What is computed of the samples of one metric of one run.
struct SampleFigures {
    double median = 0;
    double trimmed_mean = 0;  ///< without the tenth at either end; of times only
    double spread = 0;
};

/// A result with the digest that tells it from others, and its figures by run and metric.
struct WrittenResult {
    JobResult result;
    Digest digest;
    std::vector<std::vector<SampleFigures>> figures;
    /// Products that it names and the content store does not have: filled in by who looks there.
    std::vector<Digest> missing = {};
};

/// Takes as long as the result is large: not for the ledger's writer.
WrittenResult write_result(JobResult result);

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
/// @throws Error{invalid_argument} when the result does not fit the job; Error{conflict} when a
///         product that it names was never put
Taking finish_job(
    Database& db,
    const JobConfig& rules,
    JobId job,
    int attempt,
    WorkerId worker,
    const WrittenResult& result,
    std::int64_t now_s);

}  // namespace vigil::service
