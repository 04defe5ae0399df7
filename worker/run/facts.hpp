#pragma once

#include <vector>

#include "schema/model/job.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::worker {

/// What vigil-bench says under `info`: each metric by its name, with its interval and its verdict,
/// or with why it is absent; everything else that is a number, a text, yes or no by its key
/// ("batch", "accuracy.unchecked", "batch_search.chosen"). At most wire::max_run_facts; lists are
/// left out. What cannot be read costs the run nothing: then there are none.
/// @param output  the document
std::vector<RunFact> read_facts(wire::ObjectReader& output);

}  // namespace vigil::worker
