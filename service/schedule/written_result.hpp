#pragma once

#include <vector>

#include "schema/model/job.hpp"
#include "schema/model/text_ids.hpp"

// What is computed of a result before the ledger's writer sees it.

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
};

/// Takes as long as the result is large: not for the ledger's writer.
WrittenResult write_result(JobResult result);

}  // namespace vigil::service
