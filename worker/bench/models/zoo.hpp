#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// The door to the zoo: models of published architectures, written with torch::nn. Free of
// LibTorch's headers. A vigil-bench built without -DVIGIL_BENCH_ZOO has an empty one.

namespace vigil_bench {

class LoadedModel;

/// What is known of a model before it is built.
struct ZooModel {
    std::string name;    ///< also its file's: zoo/<domain>/<name>.cpp
    std::string domain;  ///< folder of its file
    std::string description;
    std::int64_t parameters = 0;   ///< as published
    std::string source;            ///< where, and what was published
    std::int64_t infer_batch = 0;  ///< default batches
    std::int64_t train_batch = 0;  ///< 0: there is nothing to train
    bool leaves_float16 = false;   ///< its numbers are larger, or smaller, than float16 has
};

/// All models by domain, then by name.
std::vector<ZooModel> zoo_models();

/// Builds the model with random weights and counts their values.
/// @param name  of one of zoo_models()
std::int64_t count_parameters(const std::string& name);

/// Builds the model with random weights.
/// @param name  of one of zoo_models()
/// @throws std::runtime_error when its parameters are not as many as the published ones
std::unique_ptr<LoadedModel> make_zoo_model(const std::string& name);

}  // namespace vigil_bench
