#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "service/tables/ways.hpp"

namespace vigil::tables {

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

/// "## torchbench suite: time by batch", or "## Time by batch" where no suite is said.
std::string suite_heading(const std::string& suite, const std::string& about);

}  // namespace vigil::tables
