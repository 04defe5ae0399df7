#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/job.hpp"
#include "schema/wire/object_reader.hpp"

// What a run measured, and the cases of the program that it ran.

namespace vigil {

/// What is of cases only is written where it is so: an older worker knows no such key.
void to_json(nlohmann::json& value, const Samples& samples);
void to_json(nlohmann::json& value, const CasePlan& cases);
void to_json(nlohmann::json& value, const CaseFailure& failure);
/// As strict as the functions below.
void from_json(const nlohmann::json& value, Samples& samples);
void from_json(const nlohmann::json& value, CasePlan& cases);
void from_json(const nlohmann::json& value, CaseFailure& failure);

}  // namespace vigil

namespace vigil::wire {

/// The fact of a run that was to be of one case alone, and did not print it: its text is the
/// command.
inline constexpr const char* case_not_printed = "case_not_printed";

/// @throws Error{invalid_argument} with the path
CasePlan parse_case_plan(const Item& item);

/// The member `samples` of a run, each quantity of a case once. Any finite values: one that no
/// series can be judged by, such as a negative time, must not cost the others of its result.
/// @throws Error{invalid_argument} with the path
std::vector<Samples> parse_run_samples(ObjectReader& run);

/// The member `case_failures`; none where it is missing.
/// @throws Error{invalid_argument} with the path
std::vector<CaseFailure> parse_case_failures(ObjectReader& run);

}  // namespace vigil::wire
