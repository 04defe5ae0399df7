#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "worker/bench/models/operators.hpp"

namespace vigil_bench {

/// Between which the models tell their rows apart.
constexpr std::int64_t home_made_classes = 16;

/// A model with its weights, and one batch to feed it. Everything comes from the seed.
struct LearningProblem {
    std::vector<Tensor> parameters;
    Tensor input;               ///< first dimension: the batch
    Tensor target;              ///< [batch], int64 classes
    std::vector<Tensor> queue;  ///< more batches like input, ready as from a data loader
    std::function<Tensor(const Operators&, const Tensor& input)> forward;  ///< -> [batch, classes]
};

struct ModelEntry {
    std::string name;
    std::string description;
    std::int64_t infer_batch = 0;
    std::int64_t train_batch = 0;
    int queued_batches = 0;
    LearningProblem (*make)(std::int64_t batch) = nullptr;
};

const std::vector<ModelEntry>& models();

/// The model of that name, or null.
const ModelEntry* find_model(const std::string& name);

/// Makes the problem of `model`, without its queue; equal seeds give equal weights and inputs.
LearningProblem make_problem(const ModelEntry& model, std::int64_t batch, std::uint64_t seed);

/// Fills the queue of batches.
void fill_queue(const ModelEntry& model, LearningProblem& problem);

}  // namespace vigil_bench
