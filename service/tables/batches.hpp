#pragma once

#include <string>
#include <vector>

#include "service/tables/rules.hpp"

namespace vigil::tables {

struct BatchRow {
    std::string model;
    std::int64_t batch = 0;               ///< 0: not said
    std::vector<const Result*> backends;  ///< as the table's; nullptr: not measured
};

/// How much faster one backend is than the base, over the rows that both have.
struct BackendGain {
    std::string backend;
    Aggregate speedup;  ///< paired_v1: geometric mean of base / this
};

/// Times of models by batch and backend, as the compiler guides of the model hubs print them.
struct BatchTable {
    std::string label;
    std::vector<std::string> backends;  ///< the base first, the others as they come
    std::vector<BatchRow> rows;
    std::vector<BackendGain> gains;
};

/// Tables of the results that have a time or ran out of memory, one for each way but the backend.
/// @param results  they outlive the tables
std::vector<BatchTable> make_batch_tables(
    const std::vector<Result>& results, const std::string& base);

}  // namespace vigil::tables
