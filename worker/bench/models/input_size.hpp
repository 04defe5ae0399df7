#pragma once

#include <string>
#include <vector>

// Models whose usual inputs are smaller than the published ones: what --size chooses.

namespace vigil_bench {

struct SizedModel {
    std::string model;
    std::string small;      ///< what it is fed unless asked otherwise: "128 tokens"
    std::string published;  ///< "512 tokens"
};

/// Of the zoo that is compiled in; no other model has two sizes.
std::vector<SizedModel> sized_models();

/// For the zoo's models that are built from here on.
void take_published_size(bool is_published);

}  // namespace vigil_bench
