#pragma once

#include <map>
#include <string>
#include <vector>

#include "service/tables/rules.hpp"

namespace vigil::tables {

/// Shares of a step, 0..1.
struct Shares {
    double active = 0;
    double movement = 0;
    double idle = 0;
    std::size_t models = 0;  ///< how many models the mean is of
};

struct BreakdownRow {
    std::string domain;  ///< "all" for the last one
    std::map<std::string, Shares> modes;
};

/// Where a step's time goes on the GPU, by domain: computing, moving data, waiting.
struct Breakdown {
    std::vector<std::string> modes;  ///< "train" before "infer", then the others
    std::vector<BreakdownRow> rows;
    std::vector<LeftOut> left_out;
};

/// Arithmetic means (paired_v1: models that have all three shares, which sum to 1 within 0.02).
/// @source  TorchBench 2023, Table 2
Breakdown make_breakdown(const std::vector<Result>& results);

}  // namespace vigil::tables
