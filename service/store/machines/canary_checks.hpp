#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/canary.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "service/store/database.hpp"

// The table `canary_check`: a worker's reference build, measured in a night.

namespace vigil::service {

struct Measurer {
    WorkerId worker;
    MachineClassId machine_class;
    std::string class_name;
    std::int64_t last_seen_at_s = 0;
};
/// The active workers that a nightly's own jobs ran on, in the order they came to the service.
std::vector<Measurer> list_measurers(Database& db, NightlyId nightly);

/// One that has not ended.
struct OpenCheck {
    CanaryCheckId id;
    ProjectId project;  ///< the night's
    NightlyId nightly;
    WorkerId worker;
    std::string worker_name;
    MachineClassId machine_class;
    std::string class_name;
    CanaryState state = CanaryState::measuring;  ///< or again
    std::string definition;                      ///< digest of build, plan, metric: one chart
    std::optional<double> moved_ratio;           ///< of the first look
    JobId job;                                   ///< the newest: after the first look, the second
    JobState job_state = JobState::queued;
    std::optional<std::int64_t> job_waits_since_s;  ///< steady time; nothing: not seen yet
};
/// In the order they were begun.
std::vector<OpenCheck> list_open_checks(Database& db, NightlyId nightly);

/// Whether a night's canaries were asked, whatever came of it.
bool has_checks(Database& db, NightlyId nightly);

/// The name of a worker whose canary moved in this night.
std::optional<std::string> find_moved_canary(Database& db, NightlyId nightly);

/// Begins one. @param job  nothing: it is missing, and why stands in the message
void add_check(
    Database& db,
    NightlyId nightly,
    WorkerId worker,
    const std::string& definition,
    std::optional<JobId> job,
    const std::string& message,
    std::int64_t now_s);

/// It looked moved, and is measured again by this job.
void move_to_again(Database& db, const OpenCheck& check, JobId job, const std::string& why);

/// @param state  learning, steady, moved or missing
void end_check(
    Database& db,
    const OpenCheck& check,
    CanaryState state,
    const std::string& why,
    std::int64_t now_s);

/// What a run of its job measured of one metric.
struct CheckValue {
    SeriesId series;
    double value = 0;  ///< metric's unit, judged
};
/// In the order they ran. Nothing where no run passed, or the job is not done.
std::vector<CheckValue> list_check_values(Database& db, const OpenCheck& check, Metric metric);

/// Where a check stands on its chart.
struct CheckPlace {
    SeriesId series;
    double value = 0;                   ///< metric's unit
    std::optional<double> base;         ///< level of the chart; nothing: it is too short
    std::optional<double> moved_ratio;  ///< of the value against it
};
void note_place(Database& db, const OpenCheck& check, const CheckPlace& place);

/// The values before this check since its chart began, oldest first: with this definition, when its
/// worker was last held by it, or when it moved with its class for a second night. What moved with
/// its class for one night only is left out, and so is what was withdrawn.
std::vector<double> load_chart(Database& db, const OpenCheck& check);

/// Whether a worker of the class has a chart or begins one, and its canary did not move. What gave
/// no value says nothing.
bool has_steady_check(Database& db, NightlyId nightly, MachineClassId machine_class);

/// The night before this check, when its worker moved with its class then too and its chart goes
/// on.
std::optional<NightlyId> find_class_move_before(Database& db, const OpenCheck& check);

}  // namespace vigil::service
