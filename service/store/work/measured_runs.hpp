#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// What single jobs measured, as searches ask for it. Reads `job`, `run` and `measurement`.

namespace vigil::service {

struct MeasuredRun {
    BuildId build;
    bool passed = false;
    std::string benchmark;
    std::string variant;
    MachineClassId machine_class;
    std::map<SeriesId, double> values;  ///< medians that can be judged, in the metric's unit
};

/// The runs of a job's newest attempt, in the order of its steps.
std::vector<MeasuredRun> list_measured_runs(Database& db, JobId job);

/// The jobs of a session that ended with a result, in the order they were asked for.
std::vector<JobId> list_done_jobs(Database& db, SessionId session);

/// How long the newest runs of a series took, on average; nullopt: there is none.
std::optional<double> find_usual_run_ns(Database& db, SeriesId series);

}  // namespace vigil::service
