#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/job.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil {

void to_json(nlohmann::json& value, const RunFact& fact);
/// As strict as parse_run_facts().
void from_json(const nlohmann::json& value, RunFact& fact);

}  // namespace vigil

namespace vigil::wire {

/// The fact of a run whose process is the sample, and that sizes its own loop
/// (schema/harness/console): its text names the program, and what it printed. The process's time is
/// not judged.
inline constexpr const char* sizes_itself = "sizes_itself";

/// The fact of a run whose instructions were to be counted and were not: its text says why.
inline constexpr const char* not_counted = "instructions_not_counted";

/// The member `facts` of a run; none where it is missing, as an older worker leaves it.
/// @throws Error{invalid_argument} with the path, also for a name that is there twice
std::vector<RunFact> parse_run_facts(ObjectReader& run);

}  // namespace vigil::wire
