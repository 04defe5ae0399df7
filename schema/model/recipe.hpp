#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "schema/model/launch.hpp"
#include "schema/model/metric.hpp"

namespace vigil {

/// What one child process may use. Zero is not "no limit": every limit is positive.
struct Limits {
    std::int64_t wall_time_s = 600;
    std::int64_t memory_bytes = std::int64_t{4} << 30;
    std::int64_t processes = 256;                       ///< threads count too
    std::int64_t output_bytes = std::int64_t{4} << 20;  ///< standard output and error, each
    std::int64_t disk_bytes = std::int64_t{8} << 30;    ///< of all files it writes, together
    friend bool operator==(const Limits&, const Limits&) = default;
};

/// An argument vector; element 0 is the program.
using Command = std::vector<std::string>;
using EnvironmentVariables = std::map<std::string, std::string>;

/// How to make a build's product from its input: commands run in order in the unpacked input, in
/// the sandbox, always at the same path; then `outputs` are packed. Without commands, the outputs
/// are taken from the input as it is.
struct Recipe {
    std::vector<Command> commands;
    std::vector<std::string> outputs;  ///< paths relative to the input's root; files or folders
    EnvironmentVariables environment;
    Limits limits{.wall_time_s = 3600, .memory_bytes = std::int64_t{8} << 30, .processes = 1024};
    friend bool operator==(const Recipe&, const Recipe&) = default;
};

/// How the numbers a benchmark prints are read.
enum class SampleFormat {
    none,              ///< prints nothing of interest: the process itself is the sample
    lines,             ///< one number per line of standard output, of `printed`, in `unit`
    google_benchmark,  ///< Google Benchmark's JSON on standard output
    hyperfine,         ///< hyperfine's --export-json, on standard output
    harness,           ///< what any benchmark program wrote that schema/harness reads
    vigil,             ///< vigil-bench's JSON on standard output: samples by metric
};

/// What a benchmark prints, and what it means.
struct SampleRule {
    SampleFormat format = SampleFormat::none;
    Metric printed = Metric::reported_value;  ///< for `lines`
    std::string unit;  ///< for `lines`: ns us ms s, bytes KiB MiB GiB, or any for reported_value
    Direction direction = Direction::lower_is_better;  ///< of reported_value
    std::string select;  ///< of a benchmark program's results: which of several, by its name
    /// A run counts whatever exit code it ended with, and so does what a program measured of a
    /// command that failed (hyperfine -i).
    bool ignore_exit_code = false;
    friend bool operator==(const SampleRule&, const SampleRule&) = default;
};

/// How a program that measures many cases in one run becomes one series a case.
struct CasePlan {
    std::vector<std::string> names;      ///< patterns of * and ?; those that fit one are measured
    std::vector<std::string> arguments;  ///< that have it run one {case}; empty: it always runs all
    std::string only;                    ///< the run is of this case alone; empty: of all
    friend bool operator==(const CasePlan&, const CasePlan&) = default;
};

enum class BenchmarkKind {
    command,   ///< any command
    torch,     ///< vigil-bench, compiled by the worker against the LibTorch at hand
    artifact,  ///< runs nothing: the size of files of the product is the sample
    build,     ///< builds once more, without caches: the time of the recipe's commands
};

constexpr int max_interleave = 8;

/// What profiles a run: one that is profiled measures nothing.
enum class Profiler {
    callgrind,  ///< valgrind's, of instructions by function
    dhat,       ///< valgrind's, of memory by the function that asks for it
    operators,  ///< vigil-bench itself, of LibTorch's operators
    perf,       ///< samples of where the processor is, at the program's own speed
};

/// A program that is to profile itself finds this variable, with the name of a profiler. Plans of
/// before `profiler` named theirs so.
inline constexpr const char* profiler_variable = "VIGIL_PROFILER";

/// One benchmark in one variant, complete: a worker needs nothing else to run it. The command runs
/// with the unpacked product, or `folder` in it, as its working folder; for `torch`, `command`
/// holds the arguments of vigil-bench (without the program), e.g. {"--model", "mlp", "--library",
/// "lib/libx.so"}; for `artifact` a path in the product, where "*" is any text without "/", and at
/// will the ELF section that counts, e.g. {"lib/libx.so", ".text"}; for `build` it is empty.
struct BenchmarkPlan {
    std::string benchmark;
    std::string variant;
    BenchmarkKind kind = BenchmarkKind::command;
    Command command;
    std::optional<std::string> folder = {};  ///< of the product, one name; nothing: the product
    EnvironmentVariables environment;
    std::optional<Launch> launch = {};  ///< nothing: the machine class's, if it has one
    SampleRule samples;
    std::optional<CasePlan> cases = {};  ///< nothing: the program is one benchmark
    Limits limits;
    /// So many processes of a job's different builds are alive together; 1: one after the other.
    /// Programs that print samples measure in short turns (they must take part: vigil-bench does);
    /// where the process is the sample, all share one processor, and only CPU time and memory
    /// count.
    int interleave = 1;
    int wrong_exit_code = 3;         ///< the program says: my answer is wrong
    int unsupported_exit_code = 77;  ///< the program says: not on this machine
    /// Its processes' instructions are counted too, where the machine can; for `command` and
    /// `torch`.
    bool counts_instructions = false;
    /// It runs under valgrind's callgrind, and its count of instructions is the only sample: for
    /// `command` and the format `none`.
    bool callgrind = false;
    /// It runs under a profiler for the costs of its functions, and has no samples: for `command`
    /// and `torch`. The daemon asks for it, no config does.
    bool profiled = false;
    Profiler profiler = Profiler::callgrind;  ///< where it is profiled
    friend bool operator==(const BenchmarkPlan&, const BenchmarkPlan&) = default;
};

}  // namespace vigil
