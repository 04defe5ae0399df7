#pragma once

#include <string>
#include <vector>

#include "service/tables/rules.hpp"
#include "service/tables/ways.hpp"

namespace vigil::tables {

struct BatchRow {
    std::string model;
    std::int64_t batch = 0;            ///< 0: not said
    std::vector<const Result*> cells;  ///< as the table's columns; nullptr: not measured
};

/// The gain over the rows of one batch size.
struct BatchGain {
    std::int64_t batch = 0;
    double speedup = 0;
    std::size_t count = 0;
};

/// How much faster one column is than the base, over the rows that both have.
struct ColumnGain {
    std::string column;
    Aggregate speedup;                     ///< paired_v1: geometric mean of base / this
    std::vector<BatchGain> by_batch = {};  ///< where there are several; the same mean of each
};

/// Times of models by batch and backend, as the compiler guides of the model hubs print them; or by
/// device, or by version.
struct BatchTable {
    std::string label;
    Part by = Part::backend;           ///< what the columns are
    std::vector<std::string> columns;  ///< the base first, the others as they come
    std::vector<std::string> unshown;  ///< columns beyond the 16 that a table has
    std::vector<BatchRow> rows;
    std::vector<ColumnGain> gains;
};

/// The word for what the columns are: "batch" for backends, else "device", "version", "setting".
std::string title_of(Part by);

/// Tables of the results that have a time or ran out of memory, one for each way but the backend.
/// @param results  they outlive the tables
std::vector<BatchTable> make_batch_tables(
    const std::vector<Result>& results, const std::string& base);

/// The same by device, by version and by setting, of ways that were run in several. Ratios are to
/// `base` where it is one of them, else to the first.
std::vector<BatchTable> make_tables_across(
    const std::vector<Result>& results, const std::string& base);

}  // namespace vigil::tables
