#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/tables/rules.hpp"
#include "service/tables/ways.hpp"

namespace vigil::tables {

/// (T_n / T_1 - 1) / (n - 1): what each further worker adds, in workers; 1 is ideal.
/// @param alone  T_1, > 0   @param together  T_n, > 0   @param workers  n, > 1
/// @source  the AIME deep-learning benchmarks of multi-GPU servers
double scaling_factor(double alone, double together, std::int64_t workers);

/// T_n / (n T_1): which share of n workers is left.
double parallel_efficiency(double alone, double together, std::int64_t workers);

struct ScalingRow {
    const Result* result = nullptr;
    std::int64_t workers = 0;
    double throughput_per_s = 0;
    std::optional<double> factor;      ///< none for one worker, and where one alone is not known
    std::optional<double> efficiency;  ///< the same
};

/// Of all models with so many workers.
struct ScalingMean {
    std::int64_t workers = 0;
    Aggregate factor;  ///< paired_v1: arithmetic mean over the models that have T_1 and T_n
    Aggregate efficiency;
};

struct ScalingTable {
    std::string label;
    Part part = Part::gpus;  ///< what is counted
    std::string workers;     ///< "GPUs", "Processes" or "Threads"
    std::vector<ScalingRow> rows;
    std::vector<ScalingMean> means;
};

/// @param results  they outlive the tables
///
/// Tables of the results that have a throughput; where a result has only the time of a step and its
/// batch, on one GPU or none, its throughput is batch / time. Workers are GPUs where any result
/// names them, else processes where any has several, else threads; without either everything is one
/// worker. Times of one number of workers alone make no table.
std::vector<ScalingTable> make_scaling_tables(const std::vector<Result>& results);

}  // namespace vigil::tables
