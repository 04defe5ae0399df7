#pragma once

#include <string>
#include <vector>

#include "schema/model/class_variant.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/job.hpp"
#include "service/store/database.hpp"
#include "service/store/series/series.hpp"

// Tables `case_failure` and `whole_case`: cases of programs that measure many in one run.

namespace vigil::service {

/// Cases that failed in a run that passed.
void add_case_failures(Database& db, RunId run, const std::vector<CaseFailure>& failures);
struct FailedCase {
    RunId run;
    std::string case_name;
};
/// Of the runs of a job's newest attempt.
std::vector<FailedCase> list_case_failures(Database& db, JobId job);
void remove_case_failures(Database& db, JobId job);

/// A case that its program did not print when it was asked for it alone.
struct UnprintedCase {
    ProjectId project;
    std::string benchmark;
    std::string variant;
    std::string case_name;
    std::vector<std::string> arguments;  ///< case_arguments of the config
};
/// From now on the program runs whole for it, until its arguments change.
/// @return  whether it was not known
bool note_whole_case(Database& db, const UnprintedCase& unprinted);
/// Whether the program runs whole for it. What was noted of other arguments is forgotten.
bool is_whole_case(Database& db, const UnprintedCase& asked);
/// The same, whatever the arguments.
bool has_whole_case(Database& db, const SeriesRow& series);

/// A case no run of which had a value, and some run of which failed, while its program passed.
struct SilentCase {
    ClassVariant variant;
    std::string case_name;
    std::string message;
};
/// Runs that are left out of all judgement (view left_out) are not looked at.
std::vector<SilentCase> list_silent_cases(Database& db, NightlyId nightly);

}  // namespace vigil::service
