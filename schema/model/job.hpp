#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/recipe.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"

// What daemon and worker say to each other about one job.

namespace vigil {

/// The number of the worker protocol that is spoken here.
constexpr int protocol_version = 3;
/// The oldest one of a worker that the daemon still understands: 3 added the facts of a run, which
/// may be missing.
constexpr int oldest_protocol_version = 2;

/// One run to make: a fresh process of one benchmark variant on one build.
struct Step {
    int build = 0;      ///< index into the job's builds
    int benchmark = 0;  ///< index into the job's benchmarks
    friend bool operator==(const Step&, const Step&) = default;
};

/// The part of a job that is frozen when it is planned (column job.plan).
struct JobPlan {
    std::vector<BenchmarkPlan> benchmarks;
    std::vector<Step> steps;  ///< in the order to run them
    friend bool operator==(const JobPlan&, const JobPlan&) = default;
};

/// A build as a worker gets it.
struct BuildOrder {
    BuildId id;
    Revision revision;
    InputKind input_kind = InputKind::source_tree;
    Digest input;  ///< content: a tar of the tree, or the archive
    Recipe recipe;
    std::optional<Digest> product;  ///< content: packed outputs, when this toolchain has built it
    bool build_here = true;  ///< false: without a product it is not built, its steps are left out
};

/// A worker's timed right to a job.
struct Lease {
    JobId job;
    int attempt = 0;         ///< >= 1; goes with every message about the job
    std::int64_t ttl_s = 0;  ///< a heartbeat renews it for this long
    Purpose purpose = Purpose::nightly;
    std::string project;
    std::vector<BuildOrder> builds;
    JobPlan plan;
    EnvironmentVariables environment;  ///< of the machine class, for every run
    std::string key;  ///< of this attempt, drawn by lot; goes back with the result; may be empty
};

/// The service's answer to a heartbeat.
struct HeartbeatReply {
    bool cancel = false;  ///< the job was cancelled: stop, and claim the next
    std::int64_t ttl_s = 0;
};

/// What is kept by digest: trees, archives, what was built, and what was printed.
enum class ContentKind {
    source,
    artifact,
    product,
    log,
    delivery  ///< body of a webhook's delivery
};

/// A label that a worker gives itself where it can profile: its value is by what, "callgrind".
inline constexpr std::string_view profiler_label = "vigil.profiler";

/// What a worker shows of its machine. A class demands some of it; a worker that differs is
/// quarantined.
struct Fingerprint {
    std::string cpu_model;
    int cpus = 0;
    std::int64_t memory_bytes = 0;
    std::vector<std::string> gpus;  ///< "name, driver"
    std::map<std::string, std::string> labels;
    std::string toolchain;  ///< digest of compiler, linker and library versions; keys the products
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// Facts that stay (cpu, kernel, governor, driver ...), and readings that move (load, temperature,
/// clocks), both by name.
struct EnvironmentRecord {
    std::map<std::string, std::string> facts;
    std::map<std::string, std::string> readings;
};

struct BuildOutcome {
    BuildId id;
    bool built = false;
    std::optional<Digest> product;  ///< set when built
    std::optional<Digest> log;
    std::string message;  ///< why not, one line
    std::int64_t duration_ns = 0;
};

/// Samples of one quantity from one run, in order; never empty.
struct Samples {
    Metric metric = Metric::wall_time_ns;
    std::vector<double> values;  ///< metric's unit; of `reported_value` the plan's, or `unit`
    std::string case_name = {};  ///< of a program with cases; empty: of the whole process
    std::string quantity = {};   ///< of a case: a counter's own name; empty: the metric says it
    std::string unit = {};       ///< of a `reported_value` of a case
    /// The same: which way it is better; nullopt: nothing says so.
    std::optional<Direction> direction = {};
};

/// A case that ended with an error, of a run that measured others.
struct CaseFailure {
    std::string case_name;
    std::string message;  ///< one line
    friend bool operator==(const CaseFailure&, const CaseFailure&) = default;
};

/// What a run says of itself beside its samples: a metric that is no series (throughput, compile
/// time, leak), or what it chose (the batch).
struct RunFact {
    std::string name;
    std::optional<double> value = {};
    std::optional<double> low = {};  ///< of its interval at 95 %
    std::optional<double> high = {};
    std::string unit = {};  ///< of the three; may be empty
    std::string text = {};  ///< a verdict, a word, or why there is no value; one line
    friend bool operator==(const RunFact&, const RunFact&) = default;
};

struct RunOutcome {
    int step = 0;  ///< index into the plan's steps
    Outcome outcome = Outcome::failed;
    std::string message;  ///< why not passed, one line
    std::optional<Digest> log;
    std::int64_t started_at_ns = 0;  ///< UTC
    std::int64_t duration_ns = 0;
    std::vector<Samples> samples;                 ///< empty unless passed
    std::vector<RunFact> facts = {};              ///< whatever the outcome; each name once
    std::vector<CaseFailure> case_failures = {};  ///< each case once; of a run that passed
    std::string profile = {};  ///< of a profiled step that passed, as schema/profile writes it
};

/// Whose fault a failure is. A worker is to blame when it would fail every such job: its folder
/// cannot be cleared, its disk is full, its sandbox does not start, it has no LibTorch.
enum class Fault { job, worker };

/// What a worker made of a job. A build that failed leaves its steps without runs.
struct JobResult {
    std::vector<BuildOutcome> builds;  ///< only those made here, not those taken ready
    std::vector<RunOutcome> runs;
    EnvironmentRecord before;
    EnvironmentRecord after;
    std::string failure;  ///< not empty: the worker could not do the job (no disk, ...); retried
    Fault fault = Fault::job;  ///< of the failure
    std::string key;           ///< the lease's; empty: not told
};

}  // namespace vigil
