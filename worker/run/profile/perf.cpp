#include "worker/run/profile/perf.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <linux/perf_event.h>

#include "schema/model/error.hpp"
#include "schema/profile/perf.hpp"
#include "schema/text/lines.hpp"
#include "worker/run/event_counter.hpp"
#include "worker/run/fresh_folder.hpp"
#include "worker/run/text_file.hpp"
#include "worker/run/written_files.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr const char* samples_folder = ".vigil-samples";
constexpr const char* samples_file = "perf";
constexpr const char* samples_a_second = "999";  // 1000 would keep step with timers
constexpr std::size_t most_samples_mib = 256;
constexpr std::int64_t enough_ns = 5'000'000'000;  // of what is sampled
constexpr std::int64_t most_times = 50;
constexpr int report_s = 300;  // for perf to read what it wrote
constexpr int perf_failed = 255;
constexpr const char* paranoid_file = "/proc/sys/kernel/perf_event_paranoid";

/// Runs a command so many times, and ends with the first that fails.
constexpr const char* repeat_script = R"(
left=$1
shift
while [ "$left" -gt 0 ]; do
    "$@" || exit $?
    left=$((left - 1))
done
)";

constexpr EventCounter cycles{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
constexpr EventCounter clock_of_cpu{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK};

void keep_perf_to_itself(RunRequest& request) {
    request.environment["PERF_CONFIG"] = "/dev/null";
    request.environment["DEBUGINFOD_URLS"] = "";
}

Command recording(const Command& command, const fs::path& file, std::int64_t times) {
    Command recorded{
        find_perf().string(),
        "record",
        "--quiet",
        "--no-buildid",
        "--no-buildid-cache",
        std::string("--event=") + (find_refusal(cycles) ? "cpu-clock:u" : "cycles:u"),
        std::string("--freq=") + samples_a_second,
        "--call-graph=fp",
        fmt::format("--max-size={}M", most_samples_mib),
        "--output=" + file.string(),
        "--"};
    if (times > 1) {
        const Command repeated{"/bin/sh", "-c", repeat_script, "sh", std::to_string(times)};
        recorded.insert(recorded.end(), repeated.begin(), repeated.end());
    }
    recorded.insert(recorded.end(), command.begin(), command.end());
    return recorded;
}

Command reporting(const fs::path& file, std::initializer_list<const char*> how) {
    Command report{
        find_perf().string(),
        "report",
        "--force",  // whose file it is does not matter
        "--input=" + file.string(),
        "--stdio",
        "-v",
        "--full-source-path",
        "--field-separator",
        std::string(1, profile::perf_separator)};
    report.insert(report.end(), how.begin(), how.end());
    return report;
}

/// One recording. @return  why it holds nothing; empty: it holds something
std::string record(
    Runner& runner, const RunRequest& request, std::int64_t times, ProfiledRun& run) {
    make_fresh(request.scratch);
    auto recorded = request;
    const auto shown = make_folder(runner, request, samples_folder) / samples_file;
    recorded.command = recording(request.command, shown, times);
    keep_perf_to_itself(recorded);
    run.report = runner.run(recorded);
    run.iterations = times;
    std::error_code none;
    const auto file = request.scratch / samples_folder / samples_file;
    const auto size = fs::is_regular_file(fs::symlink_status(file, none)) ? fs::file_size(file) : 0;
    if (size >= most_samples_mib << 20) {
        return fmt::format(
            "perf took more than {} MiB of samples: give the benchmark less to do",
            most_samples_mib);
    }
    if (size > 0) return "";
    const auto& report = run.report;
    const bool failed = report.end == RunEnd::exited && report.exit_code == perf_failed;
    return "perf wrote nothing" + (failed ? ": " + text::one_line(report.errors) : "");
}

/// What perf prints of its file. @return  nothing: it could not in time
std::string report_of(Runner& runner, RunRequest request, std::initializer_list<const char*> how) {
    const auto folder = runner.sandboxed() ? fs::path(scratch_path) : request.scratch;
    request.command = reporting(folder / samples_folder / samples_file, how);
    request.limits.wall_time_s = report_s;
    request.limits.output_bytes = static_cast<std::int64_t>(max_profile_bytes);
    request.streams = Streams::apart;
    keep_perf_to_itself(request);
    const auto report = runner.run(request);
    const bool is_whole = report.end == RunEnd::exited && report.exit_code == 0;
    return is_whole && !report.truncated ? report.output : "";
}

void read_samples(Runner& runner, const RunRequest& request, ProfiledRun& run) {
    if (!run.why_none.empty()) return;
    if (run.report.end != RunEnd::exited) {
        run.why_none = "it did not end by itself";
        return;
    }
    constexpr const char* by_stacks = "--call-graph=folded,0,caller,function,count";
    // Files come from debugging information, which may be too large to be read in time.
    auto stacks =
        report_of(runner, request, {"--no-children", by_stacks, "--fields=sample,dso,srcfile,sym"});
    if (stacks.empty()) {
        stacks =
            report_of(runner, request, {"--no-children", by_stacks, "--fields=sample,dso,sym"});
    }
    auto objects =
        report_of(runner, request, {"--children", "--call-graph=none", "--fields=sample,dso,sym"});
    if (stacks.empty() || objects.empty()) {
        run.why_none = fmt::format(
            "perf could not read its own samples within {} s and {} MiB",
            report_s,
            max_profile_bytes >> 20);
        return;
    }
    run.texts = {std::move(stacks), std::move(objects)};
}

bool has_passed(const RunReport& report) {
    return report.end == RunEnd::exited && report.exit_code == 0;
}

}  // namespace

fs::path find_perf(const fs::path& root) {
    for (const char* folder : {"usr/local/bin", "usr/bin"}) {
        const auto program = fs::path(folder) / "perf";
        if (::access((root / program).c_str(), X_OK) == 0) return "/" / program;
    }
    return {};
}

std::string why_no_perf(bool has_perf, const std::string& paranoid) {
    if (!has_perf) return "perf is not installed: apt-get install linux-perf";
    int level = 0;
    std::from_chars(paranoid.data(), paranoid.data() + paranoid.size(), level);
    if (level <= 2) return "";
    return fmt::format(
        "the kernel lets no user sample, for {} is {}: sysctl kernel.perf_event_paranoid=2",
        paranoid_file,
        level);
}

std::string why_no_perf() {
    auto none = why_no_perf(!find_perf().empty(), first_line(paranoid_file));
    if (!none.empty()) return none;
    const auto refusal = find_refusal(clock_of_cpu);
    if (!refusal) return "";
    return refusal->why + (refusal->advice.empty() ? "" : ": " + refusal->advice);
}

ProfiledRun run_for_samples(Runner& runner, const RunRequest& request) {
    if (const auto none = why_no_perf(); !none.empty()) {
        throw Error(Errc::unavailable, "sampling by perf: " + none);
    }
    ProfiledRun run;
    run.profiler = Profiler::perf;
    run.why_none = record(runner, request, 1, run);
    if (!has_passed(run.report)) {
        read_samples(runner, request, run);
        return run;
    }
    const auto taken_ns = std::max<std::int64_t>(run.report.wall_time_ns, 1);
    const auto times = std::min((enough_ns + taken_ns - 1) / taken_ns, most_times);
    const bool is_in_time =
        2 * times * taken_ns < request.limits.wall_time_s * std::int64_t{1'000'000'000};
    if (run.why_none.empty() && times > 1 && is_in_time) {
        const auto once = run;
        run.why_none = record(runner, request, times, run);
        // What cannot be made twice in one place is sampled once.
        if (!run.why_none.empty() || !has_passed(run.report)) {
            run = once;
            run.why_none = record(runner, request, 1, run);
        }
    }
    read_samples(runner, request, run);
    return run;
}

}  // namespace vigil::worker
