#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/cli/common/command.hpp"
#include "service/tables/summary.hpp"

// `vigil summarize`: the tables that people know, from files or from a night of the daemon.

namespace vigil::cli {

CommandSpec summarize_command();

/// The runs of one night as results: processes of one benchmark and variant are one result, its
/// numbers the medians over them, its status the first that is none of a right answer. The suite is
/// the project on the machine class. Time is wall time, where there is none CPU time; the peak is
/// the allocator's, where there is none the process's. A reported value per second is a throughput.
/// What runs said beside their samples is there too: compile time, throughput, leak, batch.
class NightResults {
  public:
    /// @param run  as GET /api/v1/runs/{id} has it; of another purpose than nightly: passed over
    void add(const nlohmann::json& run);
    tables::ResultList take() const;

  private:
    struct Processes {
        tables::Result result;
        std::map<std::string, std::vector<double>> medians;  ///< by metric
        std::map<std::string, std::vector<double>> said;  ///< by name: numbers beside the samples
    };
    std::map<std::string, Processes> processes_;
};

}  // namespace vigil::cli
