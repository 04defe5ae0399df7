#pragma once

#include <string>
#include <vector>

namespace vigil::service {

/// Names of the zoo's models, as the files of worker/bench/zoo have them; written when CMake
/// configures.
std::vector<std::string> zoo_model_names();

/// The names of the TorchBench paper that stand for one of them.
std::vector<std::string> paper_model_names();

/// Ways to run a model that people know by a name: the four configurations of the TorchBench paper.
struct BenchPreset {
    std::string name;  ///< "train-cuda": the variant's
    std::vector<std::string> arguments;
};
const std::vector<BenchPreset>& bench_presets();

}  // namespace vigil::service
