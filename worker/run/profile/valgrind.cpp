#include "worker/run/profile/valgrind.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "worker/run/callgrind.hpp"
#include "worker/run/fresh_folder.hpp"
#include "worker/run/profile/marks.hpp"
#include "worker/run/written_files.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr const char* profiles_folder = ".vigil-profiles";
constexpr const char* marks_folder = ".vigil-marks";

/// A command as dhat runs it: with whole paths, which tell the program's own files from a
/// library's, and with callers enough to come from a container's inside to who uses it.
Command watched_command(const Command& command, const std::string& out) {
    Command watched{
        find_valgrind().string(),
        "--command-line-only=yes",
        "--tool=dhat",
        "--trace-children=yes",
        "--vgdb=no",
        "--num-callers=" + std::to_string(profile::max_stack_frames),
        "--fullpath-after=",
        "--dhat-out-file=" + out,
        "--log-file=/dev/null"};
    watched.insert(watched.end(), command.begin(), command.end());
    return watched;
}

constexpr int dump_s = 30;       // to write what was counted, when its time is over
constexpr int cut_status = 124;  // of timeout(1), whose time was over

enum class Counted { marked, all };

/// Percent of the time that the pass between marks has. A run without marks that is short enough to
/// be counted whole needs far less of it.
constexpr std::int64_t look_share = 75;

/// Ends by SIGTERM, so that callgrind writes what it counted until then.
Command limited_command(Command command, int seconds) {
    const Command timeout{
        "timeout",
        "--signal=TERM",
        "--kill-after=" + std::to_string(dump_s),
        std::to_string(seconds)};
    command.insert(command.begin(), timeout.begin(), timeout.end());
    return command;
}

/// Whether callgrind counted anything: the sum at the end of its file.
bool has_costs(const std::string& text) {
    const std::string_view all = text;
    constexpr std::string_view sum_words = "\ntotals: ";
    for (auto at = all.find(sum_words); at != all.npos; at = all.find(sum_words, at + 1)) {
        const auto line = all.substr(at + sum_words.size());
        if (line.substr(0, line.find('\n')).find_first_of("123456789") != line.npos) return true;
    }
    return false;
}

void read_texts(const fs::path& folder, ProfiledRun& run) {
    std::size_t bytes = 0;
    std::size_t processes = 0;
    bool too_large = false;
    for_each_entry(folder, [&](int opened, const char* name) {
        auto text = read_end(opened, name, max_profile_bytes + 1);
        bytes += text ? text->size() : 0;
        too_large = bytes > max_profile_bytes || ++processes > max_counted_processes;
        const bool counts = text && (run.profiler == Profiler::dhat || has_costs(*text));
        if (counts && !text->empty() && !too_large) run.texts.push_back(std::move(*text));
        return !too_large;
    });
    if (too_large) {
        run.texts.clear();
        run.why_none = fmt::format(
            "{} wrote more than {} MiB, or of more than {} processes",
            to_string(run.profiler),
            max_profile_bytes >> 20,
            max_counted_processes);
    } else if (run.texts.empty()) {
        run.why_none = fmt::format(
            "{} wrote nothing: who is killed by SIGKILL is not counted", to_string(run.profiler));
    }
}

ProfiledRun profile_once(Runner& runner, const RunRequest& request, Counted counted, int seconds) {
    make_fresh(request.scratch);
    const auto shown = make_folder(runner, request, profiles_folder);
    auto profiled = request;
    Command more;
    if (counted == Counted::marked) more.emplace_back("--instr-atstart=no");
    const auto vgdb = find_valgrind().parent_path() / "vgdb";
    const bool listens = counted == Counted::marked && ::access(vgdb.c_str(), X_OK) == 0;
    const auto marks = listens ? make_folder(runner, request, marks_folder) : fs::path();
    if (listens) more.insert(more.end(), {"--vgdb=yes", "--vgdb-prefix=" + vgdb_prefix(marks)});
    profiled.command = limited_command(
        counted_command(request.command, "/dev/null", (shown / "%p").string(), more), seconds);
    if (listens) listen_to_marks(vgdb, marks, profiled);
    profiled.environment[profile_seconds_variable] = std::to_string(seconds);
    profiled.limits.wall_time_s = seconds + 2 * dump_s;
    ProfiledRun run;
    run.report = runner.run(profiled);
    run.is_marked = counted == Counted::marked;
    read_texts(request.scratch / profiles_folder, run);
    auto& report = run.report;
    const bool is_late = report.wall_time_ns >= std::int64_t{seconds} * 1'000'000'000;
    const bool is_cut = report.end == RunEnd::exited && report.exit_code == cut_status && is_late;
    if (!is_cut) return run;
    if (run.why_none.empty()) {
        run.cut_after_s = seconds;
        report.exit_code = 0;
    } else {
        report.end = RunEnd::timed_out;
        report.message = fmt::format("not done after {} s", seconds);
    }
    return run;
}

}  // namespace

ProfiledRun run_for_memory(Runner& runner, const RunRequest& request) {
    check_valgrind();
    const auto shown = make_folder(runner, request, profiles_folder);
    auto profiled = request;
    profiled.command = watched_command(request.command, (shown / "%p").string());
    profiled.environment[profile_seconds_variable] = std::to_string(request.limits.wall_time_s);
    ProfiledRun run;
    run.profiler = Profiler::dhat;
    run.report = runner.run(profiled);
    read_texts(request.scratch / profiles_folder, run);
    return run;
}

ProfiledRun run_for_instructions(Runner& runner, const RunRequest& request) {
    check_valgrind();
    const auto begun = std::chrono::steady_clock::now();
    const auto left_s = [&] {
        const auto taken = std::chrono::steady_clock::now() - begun;
        return request.limits.wall_time_s -
               std::chrono::duration_cast<std::chrono::seconds>(taken).count();
    };
    const auto at_least_one = [](std::int64_t seconds) {
        return static_cast<int>(std::clamp<std::int64_t>(seconds, 1, 1'000'000));
    };
    // Whether it marks what it measures shows when it has run. What is not counted is fast.
    auto run = profile_once(
        runner,
        request,
        Counted::marked,
        at_least_one(look_share * request.limits.wall_time_s / 100));
    const auto end = run.report.end;
    const bool may_lack_marks = end == RunEnd::exited || end == RunEnd::timed_out;
    if (run.why_none.empty() || !may_lack_marks) return run;
    return profile_once(runner, request, Counted::all, at_least_one(left_s()));
}

}  // namespace vigil::worker
