#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/comparison.hpp"
#include "schema/model/job.hpp"
#include "schema/model/recipe.hpp"

// What daemon and worker say to each other, and the JSON columns of the ledger. Keys are the names
// of the members; enums are their names; digests and revisions are hex; a missing optional is left
// out. Each parse_x is strict: unknown keys, wrong types, numbers out of range and more than the
// limits below are Error{invalid_argument} with the path of the value (`path` is where the value
// itself stands). parse_x(to_json(x)) is x.

namespace vigil::wire {

constexpr std::size_t max_commands = 200;         ///< of one recipe
constexpr std::size_t max_arguments = 2000;       ///< of one command
constexpr std::size_t max_outputs = 1000;         ///< of one recipe
constexpr std::size_t max_variables = 1000;       ///< of one environment, labels, facts
constexpr std::size_t max_benchmarks = 1000;      ///< of one job
constexpr std::size_t max_steps = 10'000;         ///< of one job
constexpr std::size_t max_builds = 1000;          ///< of one job
constexpr std::size_t max_metrics = 16;           ///< of one run, or of one case of it
constexpr std::size_t max_cases = 5000;           ///< of one program
constexpr std::size_t max_samples = 100'000;      ///< of one metric of one run
constexpr std::size_t max_run_facts = 200;        ///< of one run
constexpr std::size_t max_name_bytes = 200;       ///< benchmark, variant, project
constexpr std::size_t max_case_bytes = 500;       ///< case, quantity
constexpr std::size_t max_message_bytes = 16384;  ///< why something failed
constexpr std::size_t max_profile_bytes = std::size_t{1} << 20;  ///< of one profiled run

nlohmann::json to_json(const Recipe& recipe);
nlohmann::json to_json(const BenchmarkPlan& plan);
nlohmann::json to_json(const JobPlan& plan);
nlohmann::json to_json(const Lease& lease);
nlohmann::json to_json(const Fingerprint& fingerprint);
nlohmann::json to_json(const JobResult& result);
/// An infinite bound is written as null.
nlohmann::json to_json(const Comparison& comparison);

Recipe parse_recipe(const nlohmann::json& value, const std::string& path = "recipe");
/// Equal recipes, equal digest; it keys the products built by them.
Digest digest_of(const Recipe& recipe);
BenchmarkPlan parse_benchmark_plan(
    const nlohmann::json& value, const std::string& path = "benchmark");
/// Steps point at benchmarks of the plan; their builds are only known to be >= 0.
JobPlan parse_job_plan(const nlohmann::json& value, const std::string& path = "plan");
/// Steps point at builds of the lease.
Lease parse_lease(const nlohmann::json& value);
Fingerprint parse_fingerprint(const nlohmann::json& value);
/// Times are >= 0, samples finite and only there when the run passed, each step at most once.
/// Whether it fits its job is `check_result`'s question.
JobResult parse_job_result(const nlohmann::json& value);
/// An empty object is a comparison that was never made: all zero, finding unknown.
Comparison parse_comparison(const nlohmann::json& value);

/// Does the result speak of its job only? A result without `failure` has, for every step, a run or
/// a build that was not built; steps and builds exist in the job.
/// @param builds  the job's, by position
/// @throws Error{invalid_argument}
/// @param unbuildable  those that failed before, and that the job's worker did not build
void check_result(
    const JobResult& result,
    const JobPlan& plan,
    std::span<const BuildId> builds,
    std::span<const BuildId> unbuildable = {});

}  // namespace vigil::wire
