#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The names that the TorchBench paper (Hao et al. 2023) gives its models, whichever models are
// compiled in.

namespace vigil_bench {

struct PaperName {
    std::string paper;
    std::string model;            ///< with equal architecture and size; empty: there is none
    std::int64_t parameters = 0;  ///< of TorchBench's own; 0: there are none, or it is not known
    std::string why;              ///< there is no model, or how the two differ
    bool names_another = false;   ///< the name itself is another model's
};

/// All 84, in the paper's order.
const std::vector<PaperName>& paper_names();

/// The row of a name that stands for its model, or for none; null: it is no such name.
const PaperName* find_paper_name(const std::string& name);

}  // namespace vigil_bench
