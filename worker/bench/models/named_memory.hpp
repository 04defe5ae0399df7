#pragma once

#include <string>

namespace vigil_bench {

/// A parameter or buffer of a model, known by where it lies. Two that share memory are tied.
struct NamedMemory {
    std::string name;  ///< "stages.0.branch.1.weight"
    const void* memory = nullptr;
};

}  // namespace vigil_bench
