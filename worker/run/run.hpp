#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/job.hpp"
#include "worker/child/report.hpp"

// One child process under limits, and what came of it.

namespace vigil::worker {

/// Where a request's folders appear to the process when there is a sandbox.
inline constexpr const char* build_path = "/vigil/build";
inline constexpr const char* run_path = "/vigil/run";
inline constexpr const char* scratch_path = "/tmp";

enum class MountAccess { read_only, writable };
enum class Streams { apart, merged };  ///< merged: standard error goes into standard output

/// What the kernel counts of a process and its descendants in user mode, as perf_event_open(2)
/// calls it.
struct EventCounter {
    std::uint32_t type = 0;
    std::uint64_t config = 0;
};

/// A folder or file of this machine, shown to the process at another path. Without a sandbox the
/// process sees it only where it is.
struct Mount {
    std::filesystem::path from;
    std::string to;
    MountAccess access = MountAccess::read_only;
};

struct RunRequest {
    Command command;                   ///< a program without a slash is found by PATH
    EnvironmentVariables environment;  ///< added to a fixed small one; nothing else is inherited
    Limits limits;
    std::filesystem::path folder;  ///< the working folder, shown at `folder_path`
    std::string folder_path = run_path;
    MountAccess folder_access = MountAccess::read_only;
    std::filesystem::path scratch;  ///< an empty folder, writable, shown at /tmp
    std::vector<Mount> mounts;
    Streams streams = Streams::apart;
    std::vector<int> processors;          ///< the only ones it may use; empty: all
    std::optional<int> numa_memory;       ///< of all its memory; nothing: any
    std::optional<EventCounter> counter;  ///< nothing is counted without
    int channel = -1;  ///< a socket on which vigil-child sends a port of the sandbox; -1: none
    bool callgrind = false;                   ///< run_by_callgrind() runs it
    const std::atomic<bool>* stop = nullptr;  ///< turns true: end it within a second
};

/// not_started: the program is missing or not executable. stopped: by request.stop.
using RunEnd = ChildReport::End;

/// What one process and its descendants did.
struct RunReport {
    RunEnd end = RunEnd::not_started;
    int exit_code = 0;              ///< when exited
    int signal = 0;                 ///< when signalled
    std::string message;            ///< why it did not simply exit, one line; empty when it did
    std::string output;             ///< standard output, its middle left out above the limit
    std::string errors;             ///< standard error, likewise
    std::int64_t output_bytes = 0;  ///< that it printed, kept or not
    std::int64_t errors_bytes = 0;
    bool truncated = false;          ///< `output` is not all of standard output
    std::int64_t started_at_ns = 0;  ///< UTC
    std::int64_t wall_time_ns = 0;
    std::int64_t cpu_time_ns = 0;         ///< user and system, of the process and its descendants
    std::int64_t peak_bytes = 0;          ///< largest resident set of one process of the tree
    int left_behind = 0;                  ///< processes that outlived it and were killed
    std::optional<std::int64_t> counted;  ///< nothing: not asked for, or not all was counted
    std::vector<RunFact> facts;           ///< what can move its numbers unasked: faults, clocks
};

/// Runs processes, each on the calling thread; several threads may do so at once.
class Runner {
  public:
    virtual ~Runner() = default;

    /// Blocks until the process and all its descendants have ended.
    /// @throws Error{unavailable} when this machine cannot run it (no more processes, the sandbox
    ///         fails), Error{invalid_argument} when the request makes no sense
    virtual RunReport run(const RunRequest& request) = 0;

    /// Whether processes see the paths of their mounts; otherwise they see this machine's.
    virtual bool sandboxed() const = 0;

    /// How processes are held here, for the environment record: "sandbox" -> "bubblewrap", ...
    virtual std::map<std::string, std::string> facts() const = 0;
};

/// What a report means for a benchmark's run; the message says why it did not pass.
struct ReportedOutcome {
    Outcome outcome = Outcome::failed;
    std::string message;
};
ReportedOutcome outcome_of(const RunReport& report, const BenchmarkPlan& plan);

/// A log for people: what ran, under which limits, what it printed, how it ended.
std::string log_text(const RunRequest& request, const RunReport& report);

}  // namespace vigil::worker
