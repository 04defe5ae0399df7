#pragma once

#include "worker/bench/models/loaded_model.hpp"
#include "worker/bench/models/models.hpp"
#include "worker/bench/models/subject.hpp"

// The home-made models: with the operators of a library in float32, or as loaded models in every
// other variant.

namespace vigil_bench {

std::unique_ptr<Subject> make_operator_subject(
    const Arguments& arguments, const ModelEntry& model, std::int64_t batch);

/// Of LibTorch's own operators.
ModelMaker operator_model_maker(const ModelEntry& model, std::uint64_t seed);

}  // namespace vigil_bench
