#include "worker/run/profile/perf.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <linux/perf_event.h>

#include "schema/model/error.hpp"
#include "schema/profile/perf.hpp"
#include "schema/text/characters.hpp"
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
constexpr const char* runs_file = "runs";
constexpr int enough_s = 10;  // of what is sampled
constexpr std::int64_t most_runs = 1000;
constexpr int report_s = 300;  // for perf to read what it wrote
constexpr int perf_failed = 255;
constexpr const char* paranoid_file = "/proc/sys/kernel/perf_event_paranoid";

/// Runs a command again and again until $2 seconds are over, $3 times at most, and leaves in the
/// file $1 how often it did. It ends with the first that fails.
constexpr const char* repeat_script = R"(
file=$1 seconds=$2 most=$3
shift 3
now() { up=0; read -r up rest </proc/uptime; up=${up%%.*}; }
now
end=$((up + seconds)) runs=0
while :; do
    "$@" || exit $?
    runs=$((runs + 1))
    now
    [ "$up" -lt "$end" ] && [ "$runs" -lt "$most" ] || break
done
echo "$runs" >"$file"
)";

constexpr EventCounter cycles{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
constexpr EventCounter clock_of_cpu{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK};

void keep_perf_to_itself(RunRequest& request) {
    request.environment["PERF_CONFIG"] = "/dev/null";
    request.environment["DEBUGINFOD_URLS"] = "";
}

enum class Runs { once, several };

Command recording(const Command& command, const fs::path& folder, Runs runs) {
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
        "--output=" + (folder / samples_file).string(),
        "--"};
    if (runs == Runs::several) {
        const Command repeated{
            "/bin/sh",
            "-c",
            repeat_script,
            "sh",
            (folder / runs_file).string(),
            std::to_string(enough_s),
            std::to_string(most_runs)};
        recorded.insert(recorded.end(), repeated.begin(), repeated.end());
    }
    recorded.insert(recorded.end(), command.begin(), command.end());
    return recorded;
}

/// What the script left, or a stranger. @return  nothing: no number of runs
std::optional<std::int64_t> count_runs(const fs::path& folder) {
    constexpr std::size_t most_bytes = 20;
    std::string text;
    for_each_entry(folder, [&](int opened, const char*) {
        text = text::trimmed(read_end(opened, runs_file, most_bytes).value_or(""));
        return false;
    });
    std::int64_t runs = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), runs);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    return is_number && runs > 0 && runs <= most_runs ? std::optional(runs) : std::nullopt;
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
std::string record(Runner& runner, const RunRequest& request, Runs runs, ProfiledRun& run) {
    make_fresh(request.scratch);
    auto recorded = request;
    const auto shown = make_folder(runner, request, samples_folder);
    recorded.command = recording(request.command, shown, runs);
    keep_perf_to_itself(recorded);
    run.report = runner.run(recorded);
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
    run.why_none = record(runner, request, Runs::several, run);
    const auto runs = count_runs(request.scratch / samples_folder);
    run.iterations = runs.value_or(1);
    // What cannot be made twice in one place is sampled once.
    if (!runs && run.report.end == RunEnd::exited) {
        run.why_none = record(runner, request, Runs::once, run);
    }
    read_samples(runner, request, run);
    return run;
}

}  // namespace vigil::worker
