#include "worker/run/callgrind.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include "schema/model/error.hpp"
#include "schema/profile/callgrind.hpp"
#include "schema/profile/dhat.hpp"
#include "schema/profile/interpreter.hpp"
#include "schema/profile/operators.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/run_fact_json.hpp"
#include "worker/run/fresh_folder.hpp"
#include "worker/run/guarded.hpp"
#include "worker/run/marks.hpp"
#include "worker/run/operators.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr const char* logs_folder = ".vigil-callgrind";
constexpr const char* profiles_folder = ".vigil-profiles";
constexpr const char* marks_folder = ".vigil-marks";
constexpr std::size_t log_end_bytes = 4096;       // the count is at the end
constexpr std::int64_t most_counted = 1LL << 53;  // doubles hold all whole numbers below
constexpr std::string_view count_words = "Collected :";

/// As valgrind's options, with nothing that files or variables of the run could change.
/// @param log, out  callgrind's files; %p is the process
Command counted_command(
    const Command& command,
    const std::string& log,
    const std::string& out,
    const Command& more = {}) {
    Command counted{
        find_valgrind().string(),
        "--command-line-only=yes",
        "--tool=callgrind",
        "--trace-children=yes",
        "--vgdb=no",
        "--callgrind-out-file=" + out,
        "--log-file=" + log};
    counted.insert(counted.end(), more.begin(), more.end());
    counted.insert(counted.end(), command.begin(), command.end());
    return counted;
}

/// The same of dhat: with whole paths, which tell the program's own files from a library's, and
/// with callers enough to come from a container's inside to who uses it.
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

/// A file that is one, or its end; a link, a pipe or what cannot be read is none.
std::optional<std::string> read_end(int folder, const char* name, std::size_t most) {
    const int file = ::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    struct stat status {};
    std::optional<std::string> end;
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        const auto size = std::min(static_cast<std::size_t>(status.st_size), most);
        std::string bytes(size, '\0');
        std::size_t done = 0;
        const auto from = status.st_size - static_cast<off_t>(size);
        while (done < size) {
            const auto at = from + static_cast<off_t>(done);
            const auto got = ::pread(file, bytes.data() + done, size - done, at);
            if (got <= 0) break;
            done += static_cast<std::size_t>(got);
        }
        bytes.resize(done);
        end = std::move(bytes);
    }
    ::close(file);
    return end;
}

/// Calls take(open folder, name) for each entry, until it says false.
/// @return whether the folder is there
template <class Take>
bool for_each_entry(const fs::path& folder, const Take& take) {
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* entries = opened < 0 ? nullptr : ::fdopendir(opened);
    if (entries == nullptr) {
        if (opened >= 0) ::close(opened);
        return false;
    }
    while (const auto* entry = ::readdir(entries)) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != ".." && !take(opened, entry->d_name)) break;
    }
    ::closedir(entries);
    return true;
}

/// "==12== Collected : 6123396", the last of such lines.
std::optional<std::int64_t> count_in(std::string_view log) {
    const auto at = log.rfind(count_words);
    if (at == log.npos) return std::nullopt;
    const auto line = log.substr(at + count_words.size());
    const auto digits = text::trimmed(line.substr(0, line.find('\n')));
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    return is_number && count > 0 && count < most_counted ? std::optional(count) : std::nullopt;
}

/// What callgrind wrote of a run.
struct Written {
    std::int64_t sum = 0;
    std::string why_none;  ///< why there is no sum; empty: there is one
    std::string last;      ///< the end of what it said of one process
};

Written read_logs(const fs::path& folder) {
    Written written;
    std::size_t processes = 0;
    std::size_t without = 0;
    const bool is_there = for_each_entry(folder, [&](int opened, const char* name) {
        if (++processes > max_counted_processes) return false;
        const auto log = read_end(opened, name, log_end_bytes);
        const auto count = count_in(log.value_or(""));
        if (log) written.last = *log;
        without += !count;
        written.sum = std::min(written.sum + count.value_or(0), most_counted);
        return true;
    });
    if (!is_there) {
        written.why_none = "the run removed what callgrind wrote";
        return written;
    }
    if (processes > max_counted_processes) {
        written.why_none = fmt::format("it had more than {} processes", max_counted_processes);
    } else if (processes == 0) {
        written.why_none = "callgrind wrote nothing";
    } else if (without > 0) {
        written.why_none = fmt::format(
            "callgrind gave no count for {} of {}: who is killed by SIGKILL is not counted",
            without,
            text::counted(static_cast<std::int64_t>(processes), "process", "processes"));
    } else if (written.sum >= most_counted) {
        written.why_none = "callgrind's count is too large to be one";
    }
    return written;
}

}  // namespace

fs::path find_valgrind(const fs::path& root) {
    for (const char* folder : {"usr/local/bin", "usr/bin"}) {
        const auto program = fs::path(folder) / "valgrind";
        if (::access((root / program).c_str(), X_OK) == 0) return "/" / program;
    }
    return {};
}

std::string why_no_callgrind() {
    return find_valgrind().empty() ? "valgrind is not installed: apt-get install valgrind" : "";
}

namespace {

/// Makes a folder of the run's scratch folder for what callgrind writes.
/// @return it as the run sees it
fs::path make_folder(const Runner& runner, const RunRequest& request, const char* name) {
    std::error_code error;
    fs::create_directory(request.scratch / name, error);
    if (error) {
        throw Error(
            Errc::unavailable,
            "making " + (request.scratch / name).string() + " for callgrind: " + error.message());
    }
    return (runner.sandboxed() ? fs::path(scratch_path) : request.scratch) / name;
}

void check_valgrind() {
    if (const auto why = why_no_callgrind(); !why.empty()) {
        throw Error(Errc::unavailable, "counting by callgrind: " + why);
    }
}

}  // namespace

RunReport run_by_callgrind(Runner& runner, const RunRequest& request) {
    check_valgrind();
    const auto shown = make_folder(runner, request, logs_folder);
    auto counted = request;
    counted.command = counted_command(request.command, (shown / "%p").string(), "/dev/null");
    auto report = runner.run(counted);
    const auto written = read_logs(request.scratch / logs_folder);
    if (written.why_none.empty()) {
        report.counted = written.sum;
    } else {
        report.facts.push_back({.name = wire::not_counted, .text = written.why_none});
    }
    if (report.end == RunEnd::signalled) report.errors.insert(0, written.last);
    return report;
}

namespace {

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

/// "iterations" of the line that vigil-bench prints, or any other that prints it as it does.
/// @return  0: it is not there
std::int64_t iterations_in(const std::string& output) {
    constexpr std::string_view key = "\"profiled_iterations\":";
    const auto at = output.find(key);
    if (at == output.npos) return 0;
    std::int64_t count = 0;
    const char* from = output.data() + at + key.size();
    const auto [end, error] = std::from_chars(from, output.data() + output.size(), count);
    return error == std::errc() && count > 0 && count < most_counted ? count : 0;
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

/// The peak of a run that was cut means nothing.
ProfiledRun profile_memory(Runner& runner, const RunRequest& request) {
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

}  // namespace

ProfiledRun run_for_profile(Runner& runner, const RunRequest& request, Profiler profiler) {
    if (profiler == Profiler::operators) return run_for_operators(runner, request);
    check_valgrind();
    if (profiler == Profiler::dhat) return profile_memory(runner, request);
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

profile::Profile read_profile(
    const ProfiledRun& run, const std::string& own, const std::string& source) {
    if (!run.why_none.empty()) throw Error(Errc::unavailable, run.why_none);
    std::size_t bytes = 0;
    for (const auto& text : run.texts) bytes += text.size();
    auto read = guarded(limits_for(bytes), [&] {
        switch (run.profiler) {
            case Profiler::operators: return profile::read_operators(run.texts.front());
            case Profiler::dhat: return profile::read_dhat(run.texts, own, source);
            case Profiler::callgrind: break;
        }
        return profile::read_callgrind(run.texts, own, source);
    });
    if (run.profiler == Profiler::operators) return read;
    read.is_marked = run.is_marked;
    read.cut_after_s = run.cut_after_s;
    read.lacks_avx512 = read_text("/proc/cpuinfo").find(" avx512f") != std::string::npos;
    read.iterations = run.is_marked ? iterations_in(run.report.output) : 0;
    return read;
}

std::string what_helps(const ProfiledRun& run) {
    const auto name = profile::find_interpreter(run.texts);
    if (name.empty()) return "";
    return fmt::format(
        "; {} ran it, and valgrind cannot run every program of such: {} shows the program's own "
        "functions",
        name,
        profile::profiler_for(name));
}

}  // namespace vigil::worker
