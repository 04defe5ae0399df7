#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "service/tables/result.hpp"

namespace vigil::tables {

/// What tells one way to run a model from another.
enum class Part {
    suite,
    mode,
    device,
    precision,
    backend,
    setting,
    version,
    threads,
    processes,
    gpus,
};

/// What a result says of a part; empty: nothing.
std::string part_of(const Result& result, Part part);

/// Names ways as briefly as they can be told apart: the suite, and those parts that are not the
/// same in all results.
class Ways {
  public:
    /// @param ignored  parts that are no part of the name
    Ways(std::span<const Result* const> results, const std::set<Part>& ignored);

    /// "torchbench", "torchbench, train, jit"; "all results" when there is nothing to say.
    std::string label(const Result& result) const;
    /// Equal for equal ways, whatever is worth saying of them.
    std::string key(const Result& result) const;

  private:
    std::set<Part> said_;
    std::set<Part> ignored_;
};

/// Results by their way, in the order of first appearance.
struct WayGroup {
    std::string label;
    std::vector<const Result*> results;
};
std::vector<WayGroup> group_by_way(
    std::span<const Result* const> results, const std::set<Part>& ignored);

/// The columns of a table that say how each row was run; parts that no row says have none. With
/// them a table that was printed can be read back.
class WayColumns {
  public:
    /// @param ignored  parts that the table shows otherwise
    WayColumns(std::span<const Result* const> results, const std::set<Part>& ignored);

    void add_headers(std::vector<std::string>& headers) const;
    void add_cells(const Result& result, std::vector<std::string>& cells) const;

  private:
    bool domain_ = false;
    std::vector<Part> parts_;
};

}  // namespace vigil::tables
