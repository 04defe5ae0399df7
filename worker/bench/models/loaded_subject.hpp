#pragma once

#include "worker/bench/models/loaded_model.hpp"
#include "worker/bench/models/subject.hpp"

namespace vigil_bench {

/// The model as what is measured, in the arguments' mode, precision and backend.
/// @param batch  > 0
std::unique_ptr<Subject> make_loaded_subject(
    const ModelMaker& make, std::int64_t batch, const Arguments& arguments);

}  // namespace vigil_bench
